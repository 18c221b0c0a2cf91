//! stub
use hermes_provider_api::metadata::Metadata;
use object::{Object as _, ObjectSection as _};
/// stub
/// # Errors
/// stub
pub fn inspect(path: &std::path::Path) -> Result<Metadata, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let section = file.section_by_name(".memprov").ok_or("no section")?;
    Metadata::from_section(section.data().map_err(|e| e.to_string())?).map_err(|e| e.to_string())
}
