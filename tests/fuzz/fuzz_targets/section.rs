//! The bytes of a metadata section.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::section(bytes);
});
