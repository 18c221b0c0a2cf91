//! Texts that secrets are taken out of.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::secrets(bytes);
});
