//! Archives made of arbitrary entries, behind their checksums.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = hermes_tests::hostile::entries(bytes);
});
