//! Settings in TOML.

use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::Client;
use super::entry::{Action, Entry, Replace, Wrong, is_ours, list_of};

/// The text as it should be; None when it is so already.
pub(super) fn edited(client: Client, text: &str, action: Action<'_>) -> Result<Option<String>, Wrong> {
    let (list, mut document) = (list_of(client), parse(text)?);
    match action {
        Action::Put(entry, replace) => {
            let servers = document.entry(list).or_insert_with(|| {
                let mut table = Table::new();
                // Without a line of its own.
                table.set_implicit(true);
                Item::Table(table)
            });
            let servers = table(servers, list)?;
            let known = servers.get(&entry.name).map(as_json);
            if let Some(known) = &known {
                match (is_ours(known), replace) {
                    (false, Replace::Refuse) => return Err(Wrong::Taken(entry.name.clone())),
                    (false, Replace::Replace) => drop(servers.remove(&entry.name)),
                    (true, _) if known["command"] == entry.command && known["args"] == json!(entry.args) => {
                        return Ok(None);
                    }
                    (true, _) => {}
                }
            }
            // What the user added to it stays.
            let fields = servers.entry(&entry.name).or_insert(Item::Table(Table::new()));
            put(table(fields, &entry.name)?, entry);
        }
        Action::Remove(name) => {
            let Some(servers) = document.get_mut(list).and_then(Item::as_table_like_mut) else { return Ok(None) };
            let Some(known) = servers.get(name) else { return Ok(None) };
            if !is_ours(&as_json(known)) {
                return Err(Wrong::Taken(name.to_owned()));
            }
            servers.remove(name);
        }
    }
    Ok(Some(document.to_string()))
}

/// The entry of this name that is there.
pub(super) fn entry(client: Client, text: &str, name: &str) -> Result<Option<Value>, Wrong> {
    let document = parse(text)?;
    let servers = document.get(list_of(client)).and_then(Item::as_table_like);
    Ok(servers.and_then(|servers| servers.get(name)).map(as_json))
}

fn parse(text: &str) -> Result<DocumentMut, Wrong> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Wrong::Malformed(error.to_string().lines().next().unwrap_or_default().to_owned())
    })
}

fn table<'a>(item: &'a mut Item, what: &str) -> Result<&'a mut dyn TableLike, Wrong> {
    item.as_table_like_mut().ok_or_else(|| Wrong::Malformed(format!("`{what}` is no table")))
}

fn put(fields: &mut dyn TableLike, entry: &Entry) {
    let args: Array = entry.args.iter().map(String::as_str).collect();
    for (key, wanted) in [("command", value(entry.command.as_str())), ("args", value(args))] {
        match fields.get_mut(key) {
            // The comment behind it stays.
            Some(Item::Value(known)) => {
                let decor = known.decor().clone();
                if let Item::Value(mut wanted) = wanted {
                    *wanted.decor_mut() = decor;
                    *known = wanted;
                }
            }
            _ => drop(fields.insert(key, wanted)),
        }
    }
}

/// The command and the arguments of an entry.
fn as_json(item: &Item) -> Value {
    let field = |key: &str| item.get(key);
    let args = field("args")
        .and_then(Item::as_array)
        .map(|args| args.iter().map(|arg| arg.as_str().map_or(Value::Null, Value::from)).collect::<Vec<_>>());
    json!({"command": field("command").and_then(Item::as_str), "args": args})
}
