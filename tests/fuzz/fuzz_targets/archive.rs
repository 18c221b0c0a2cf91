//! The bytes of a plugin's archive.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::archive(bytes);
});
