//! Texts that are looked through for attacks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::threats(bytes);
});
