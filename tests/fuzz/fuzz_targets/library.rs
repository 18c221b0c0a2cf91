//! The bytes of a library, read before it is loaded.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::library(bytes);
});
