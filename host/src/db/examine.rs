//! Looking at the database without changing anything, unlike opening it.

use rusqlite::{Connection, OpenFlags};

use super::{DbError, foreign, is_broken, migrations};
use crate::home::Home;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    /// There is none yet.
    Absent,
    /// It is whole, and has this schema.
    Whole {
        /// Its schema.
        schema: i64,
    },
    /// It is damaged, and the next command that opens it sets it aside.
    Broken {
        /// What SQLite says.
        reason: String,
    },
}

/// Reads every page of the home's database. This process must not have it open.
///
/// # Errors
/// When it cannot be read, or a newer host made it.
pub fn examine(home: &Home) -> Result<Examined, DbError> {
    let path = home.database();
    if !path.exists() {
        return Ok(Examined::Absent);
    }
    let look = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        let schema: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if let Some(owner) = foreign::owner(&connection)? {
            return Ok((schema, String::new(), Some(owner)));
        }
        let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        Ok((schema, found, None))
    };
    match look() {
        Ok((_, _, Some(owner))) => Err(DbError::Foreign { path, owner }),
        Ok((found, ..)) if found > migrations::known() => {
            Err(DbError::Newer { path, found, known: migrations::known() })
        }
        Ok((schema, found, None)) if found == "ok" => Ok(Examined::Whole { schema }),
        Ok((_, reason, None)) => Ok(Examined::Broken { reason: reason.replace('\n', " ") }),
        Err(error) if is_broken(&error) => Ok(Examined::Broken { reason: error.to_string() }),
        Err(source) => Err(DbError::Sqlite { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::db::Db;

    #[test]
    fn a_database_is_looked_at_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        assert_eq!(examine(&home).unwrap(), Examined::Absent);
        assert!(!home.database().exists());
        drop(Db::open(&home).unwrap());
        assert_eq!(examine(&home).unwrap(), Examined::Whole { schema: migrations::known() });
        for bytes in [vec![0xff; 5000], [&fs::read(home.database()).unwrap()[..4096], &[0xaa; 4096]].concat()] {
            fs::write(home.database(), &bytes).unwrap();
            assert!(matches!(examine(&home).unwrap(), Examined::Broken { .. }));
            assert_eq!(fs::read(home.database()).unwrap(), bytes);
        }
    }

    #[test]
    fn that_of_a_newer_host_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let db = Db::open(&home).unwrap().db;
        db.with(|connection| connection.pragma_update(None, "user_version", 999)).unwrap();
        drop(db);
        assert!(matches!(examine(&home), Err(DbError::Newer { found: 999, .. })));
    }
}
