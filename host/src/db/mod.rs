//! stub
/// stub
#[derive(Debug)]
pub struct Db(std::sync::Mutex<rusqlite::Connection>);
/// stub
#[derive(Debug, thiserror::Error)]
#[error("db")]
pub struct DbError(#[from] rusqlite::Error);
impl Db {
    /// stub
    /// # Errors
    /// stub
    pub fn with<T>(&self, run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T>) -> Result<T, DbError> {
        Ok(run(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))?)
    }
}
