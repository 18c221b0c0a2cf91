//! stub
/// stub
/// # Errors
/// stub
pub fn sha256_of(path: &std::path::Path) -> std::io::Result<String> {
    use sha2::Digest as _;
    Ok(sha2::Sha256::digest(std::fs::read(path)?).iter().map(|byte| format!("{byte:02x}")).collect())
}
