//! System calls by number: the standard library offers no way to most of these, and checks too much on the others.
#![expect(unsafe_code, reason = "a provider may have any")]

use std::ffi::{CString, c_long};
use std::io;
use std::path::Path;

/// Makes a call. Pointers are given as numbers and must live as long as the call.
pub(crate) fn call(number: c_long, arguments: &[usize]) -> io::Result<usize> {
    let mut six = [0; 6];
    six[..arguments.len()].copy_from_slice(arguments);
    let [a, b, c, d, e, f] = six;
    // SAFETY: the ways hand over numbers, and pointers to what they keep; what else the call does to this process is
    // what is to be tried.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    usize::try_from(answer).map_err(|_| io::Error::last_os_error())
}

/// The same for a call that divides this process: the other half ends at once.
pub(crate) fn divide(number: c_long, arguments: &[usize]) -> io::Result<usize> {
    let child = call(number, arguments)?;
    if child == 0 {
        let _ = call(libc::SYS_exit_group, &[0]);
    }
    Ok(child)
}

/// Asks for the number of the process as a program of 32 bits would.
#[cfg(target_arch = "x86_64")]
pub(crate) fn foreign_getpid() -> i64 {
    let answer: i64;
    // SAFETY: the call takes no arguments and changes nothing but the register of its answer and some that are named.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => answer, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    answer
}

/// A path as the kernel takes it.
pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap_or_default()
}

/// A number as the kernel takes it, negative ones as well.
pub(crate) fn int(number: i32) -> usize {
    usize::from_ne_bytes(i64::from(number).to_ne_bytes())
}

/// Where a value lies.
pub(crate) fn at<T: ?Sized>(value: &T) -> usize {
    std::ptr::from_ref(value).cast::<u8>().addr()
}
