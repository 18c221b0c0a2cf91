//! The text of a catalog's entry, or of its list of what is blocked.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::catalog(bytes);
});
