//! The settings of one home as a beginning for another's.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::{Config, ConfigError, join, keys};

/// Settings for another home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The text of its `config.toml`.
    pub text: String,
    /// Settings of providers that were left out, because their names say that they hold secrets.
    pub left_out: Vec<String>,
    /// Settings of providers that name a path: both homes now use the same.
    pub shared: Vec<String>,
}

/// Takes the text of the `config.toml` at `path` for a home elsewhere: relative catalogs become absolute, what looks
/// like a secret is left out.
///
/// # Errors
/// As [`Config::parse`].
pub fn template(text: &str, path: &Path) -> Result<Template, ConfigError> {
    Config::parse(text, path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut document: DocumentMut = text.parse().map_err(|error| ConfigError::syntax(path, text, &error))?;
    let catalogs = document.get_mut("plugins").and_then(|plugins| plugins.get_mut("catalogs"));
    for catalog in catalogs.and_then(Item::as_array_mut).into_iter().flat_map(toml_edit::Array::iter_mut) {
        let Some(folder) = catalog.as_str().filter(|text| !text.starts_with("file:")) else { continue };
        if Path::new(folder).is_relative() {
            let absolute = path.parent().unwrap_or(Path::new("")).join(folder);
            let decor = catalog.decor().clone();
            *catalog = absolute.to_string_lossy().into_owned().into();
            *catalog.decor_mut() = decor;
        }
    }
    let (mut left_out, mut shared) = (Vec::new(), Vec::new());
    if let Some(providers) = document.get_mut("providers").and_then(Item::as_table_like_mut) {
        clean(providers, "providers", &mut left_out, &mut shared);
    }
    Ok(Template { text: document.to_string(), left_out, shared })
}

fn clean(table: &mut dyn TableLike, prefix: &str, left_out: &mut Vec<String>, shared: &mut Vec<String>) {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let key = join(prefix, &name);
        if keys::looks_secret(&name) {
            table.remove(&name);
            left_out.push(key);
        } else if let Some(inner) = table.get_mut(&name).and_then(Item::as_table_like_mut) {
            clean(inner, &key, left_out, shared);
        } else if table.get(&name).and_then(Item::as_str).is_some_and(is_path) {
            shared.push(key);
        } else if let Some(Value::Array(items)) = table.get(&name).and_then(Item::as_value) {
            shared.extend(items.iter().any(|item| item.as_str().is_some_and(is_path)).then_some(key));
        }
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.starts_with("file:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_go_over_and_secrets_stay() {
        let text = "# mine\nplugins = { catalogs = ['ours', '/b', 'file:///c'], offline = true }\n\
                    [memory]\nprovider = 'notes' # the best\n[providers.notes]\nAPI-Key = 'sk-1'\nurl = 'https://a'\n\
                    path = '/data/x.db'\nmore = ['~/y']\n[providers.notes.inner]\ntoken = 't'\nlimit = 3\n";
        let template = template(text, Path::new("/home/config.toml")).unwrap();
        assert_eq!(
            template.text,
            "# mine\nplugins = { catalogs = [\"/home/ours\", '/b', 'file:///c'], offline = true }\n\
             [memory]\nprovider = 'notes' # the best\n[providers.notes]\nurl = 'https://a'\n\
             path = '/data/x.db'\nmore = ['~/y']\n[providers.notes.inner]\nlimit = 3\n"
        );
        assert_eq!(template.left_out, ["providers.notes.API-Key", "providers.notes.inner.token"]);
        assert_eq!(template.shared, ["providers.notes.path", "providers.notes.more"]);
    }

    #[test]
    fn a_broken_file_is_no_beginning() {
        let error = template("[memory]\nrecall_limit = 0\n", Path::new("config.toml")).unwrap_err();
        assert!(error.to_string().starts_with("config.toml:2: memory.recall_limit"), "{error}");
        assert_eq!(template("", Path::new("config.toml")).unwrap().text, "");
    }
}
