//! The text of `plugins.lock`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::lockfile(bytes);
});
