//! Files of all sorts, whole and damaged.

use std::fs;

use super::fixture::{elf, mach_o, metadata, pe, section};
use super::*;

fn read(bytes: &[u8]) -> Result<Metadata, InspectError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libnotes.so");
    fs::write(&path, bytes).unwrap();
    inspect(&path)
}

#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    let error = read(bytes).unwrap_err().to_string();
    let (_, said) = error.split_once("libnotes.so` ").or_else(|| error.split_once("libnotes.so`: ")).unwrap();
    assert!(said.starts_with(expected), "{error}");
}

#[test]
fn three_formats() {
    let written = metadata("notes", "1.2.3");
    let section = section(&written);
    let mut padded = section.clone();
    padded.resize(section.len() + 500, 0);
    for bytes in [
        elf(".memprov", &section),
        elf(".memprov", &padded),
        mach_o("__DATA", "__memprov", &section),
        pe(".memprov", &section),
    ] {
        assert_eq!(read(&bytes).unwrap(), written);
    }
}

#[test]
fn what_it_is_instead_is_told() {
    let section = section(&metadata("notes", "1.2.3"));
    refused(b"", "is not a library");
    refused(b"#!/bin/sh\nexit 0\n", "is not a library");
    refused(&elf(".memprov", &section)[..200], "is not a library");
    let mut program = elf(".memprov", &section);
    program[16] = 2;
    refused(&program, "is not a library that can be loaded, or is cut off: it is a program");
    refused(&elf(".data", &section), "is a library but not a hermes plugin");
    refused(&mach_o("__TEXT", "__memprov", &section), "is a library but not a hermes plugin");
    refused(&elf(".memprov", &section[..50]), "the metadata section is damaged: its text is cut off");
    refused(&elf(".memprov", &[]), "the metadata section is damaged: it has another beginning");
    refused(&elf(".memprov", &vec![0; 3 << 20]), "the metadata section is damaged: it is larger");
    let mut newer = section;
    newer[8] = 9;
    refused(&elf(".memprov", &newer), "the metadata section has format 9, this side reads format 1");
}

#[test]
fn a_real_program_is_read_as_well() {
    let error = inspect(&std::env::current_exe().unwrap()).unwrap_err();
    assert!(matches!(error, InspectError::NoSection { .. } | InspectError::NotALibrary { .. }), "{error}");
    let error = inspect(Path::new("/nowhere/libnotes.so")).unwrap_err();
    assert!(matches!(error, InspectError::File(_)), "{error}");
}

/// Cuts the file at every place and changes every byte in three ways: the answer may be anything but a panic, and
/// whatever is cut off is refused.
#[test]
fn no_bytes_make_it_panic() {
    let written = metadata("notes", "1.2.3");
    let section = section(&written);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libnotes.so");
    for whole in [elf(".memprov", &section), mach_o("__DATA", "__memprov", &section), pe(".memprov", &section)] {
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            assert!(inspect(&path).is_err(), "cut at {len}");
        }
        let mut read = 0;
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                fs::write(&path, &bytes).unwrap();
                read += usize::from(inspect(&path).is_ok());
            }
        }
        // Most bytes of a header are of no interest to the reader, so some changes go unseen, and not all.
        assert!(read > 0 && read < 3 * whole.len(), "{read}");
    }
}
