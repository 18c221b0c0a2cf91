//! Each client's file with our entry: put in, changed, taken out, and everything else as it was.

use super::entry::{Wrong, edited_text};
use super::*;

fn entry(profile: &str) -> Entry {
    let args = ["mcp", "--profile", profile].map(str::to_owned).into();
    Entry { name: "hermes".to_owned(), command: "/opt/my tools/hermes".to_owned(), args }
}

fn put(client: Client, text: &str) -> Result<Option<String>, Wrong> {
    edited_text(client, text, Action::Put(&entry("чай"), Replace::Refuse))
}

/// Putting the entry makes this of the text, a second time changes nothing, and removing it takes out what was put in.
#[track_caller]
fn check(client: Client, text: &str, expected: &str) {
    let done = put(client, text).unwrap().unwrap();
    assert_eq!(done, expected);
    assert_eq!(put(client, &done).unwrap(), None, "{client:?}");
    let other = edited_text(client, &done, Action::Put(&entry("work"), Replace::Refuse)).unwrap().unwrap();
    assert_eq!(other, expected.replace("чай", "work"));
    let removed = edited_text(client, &done, Action::Remove("hermes")).unwrap().unwrap();
    assert!(!removed.contains("hermes"), "{removed}");
    assert_eq!(edited_text(client, &removed, Action::Remove("hermes")).unwrap(), None);
    if !text.is_empty() {
        assert_eq!(put(client, &removed).unwrap().as_deref(), Some(expected), "{client:?}");
    }
}

#[test]
fn a_new_file_holds_what_the_client_reads() {
    for client in Client::ALL {
        check(client, "", &put(client, "").unwrap().unwrap());
    }
    insta::assert_snapshot!(put(Client::ClaudeCode, "").unwrap().unwrap(), @r#"
    {
      "mcpServers": {
        "hermes": {
          "type": "stdio",
          "command": "/opt/my tools/hermes",
          "args": ["mcp", "--profile", "чай"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(put(Client::OpenCode, "").unwrap().unwrap(), @r#"
    {
      "mcp": {
        "hermes": {
          "type": "local",
          "command": ["/opt/my tools/hermes", "mcp", "--profile", "чай"],
          "enabled": true
        }
      }
    }
    "#);
    insta::assert_snapshot!(put(Client::Codex, "").unwrap().unwrap(), @r#"
    [mcp_servers.hermes]
    command = "/opt/my tools/hermes"
    args = ["mcp", "--profile", "чай"]
    "#);
}

#[test]
fn comments_order_and_indents_stay() {
    let text = "\u{feff}// my settings: ключ\r\n{\r\n\t\"theme\": \"dark\", // at night\r\n\t\"context_servers\": {\r\n\t\t/* first */\r\n\t\t\"other\": { \"command\": \"x\" },\r\n\t},\r\n\t\"last\": [1, 2.50]\r\n}\r\n";
    let done = put(Client::Zed, text).unwrap().unwrap();
    for kept in [
        "\u{feff}// my settings: ключ\r\n",
        "\"theme\": \"dark\", // at night\r\n",
        "/* first */",
        "[1, 2.50]\r\n}\r\n",
    ] {
        assert!(done.contains(kept), "{kept}: {done}");
    }
    assert!(done.contains("\t\t\"hermes\": {\r\n\t\t\t\"command\""), "{done}");
    assert!(!done.replace("\r\n", "").contains('\n'), "one kind of line ends: {done}");
    check(Client::Zed, text, &done);

    let text =
        "# mine: ключ\nmodel = \"o\"\n\n[mcp_servers.other] # the other\ncommand = 'x'\n\n[tui]\ntheme = 'dark'\n";
    let done = put(Client::Codex, text).unwrap().unwrap();
    assert!(
        done.starts_with("# mine: ключ\nmodel = \"o\"\n\n[mcp_servers.other] # the other\ncommand = 'x'\n"),
        "{done}"
    );
    assert!(done.contains("[tui]\ntheme = 'dark'\n"), "{done}");
    check(Client::Codex, text, &done);
}

#[test]
fn what_the_user_added_to_the_entry_stays() {
    let text =
        r#"{"mcpServers": {"hermes": {"command": "/old/hermes", "args": [], "env": {"A": "1"}, "disabled": true}}}"#;
    let done: serde_json::Value = serde_json::from_str(&put(Client::Cursor, text).unwrap().unwrap()).unwrap();
    let hermes = &done["mcpServers"]["hermes"];
    assert_eq!(hermes["env"]["A"], "1");
    assert_eq!((&hermes["disabled"], &hermes["command"]), (&true.into(), &"/opt/my tools/hermes".into()));

    let text = "[mcp_servers.hermes]\ncommand = \"/old/hermes\" # mine\nstartup_timeout_sec = 20\nargs = []\n";
    let done = put(Client::Codex, text).unwrap().unwrap();
    assert!(done.contains("command = \"/opt/my tools/hermes\" # mine\nstartup_timeout_sec = 20\nargs = ["), "{done}");
    let inline = "mcp_servers = { hermes = { command = '/old/hermes', args = [], enabled = false } }\n";
    let done = put(Client::Codex, inline).unwrap().unwrap();
    assert!(done.contains("enabled = false") && done.contains("/opt/my tools/hermes"), "{done}");
}

#[test]
fn another_server_of_the_name_is_not_replaced_unasked() {
    let json = r#"{"mcpServers": {"hermes": {"command": "npx", "args": ["hermes"]}}}"#;
    let toml = "[mcp_servers.hermes]\ncommand = 'npx'\n";
    for (client, text) in [(Client::Cursor, json), (Client::Codex, toml)] {
        assert!(matches!(put(client, text), Err(Wrong::Taken(_))), "{client:?}");
        assert!(matches!(edited_text(client, text, Action::Remove("hermes")), Err(Wrong::Taken(_))));
        let done = edited_text(client, text, Action::Put(&entry("чай"), Replace::Replace)).unwrap().unwrap();
        assert!(!done.contains("npx") && done.contains("чай"), "{done}");
    }
}

#[test]
fn the_second_version_of_opencode_lists_servers_further_down() {
    let text = "{\n  \"mcp\": {\n    \"servers\": {\n      \"a\": {\"type\": \"local\", \"command\": [\"a\"]}\n    }\n  }\n}\n";
    let done = put(Client::OpenCode, text).unwrap().unwrap();
    let json: serde_json::Value = serde_json::from_str(&done).unwrap();
    assert_eq!(json["mcp"]["servers"]["hermes"]["command"][1], "mcp");
    check(Client::OpenCode, text, &done);
    // In the first, one may be called so.
    let text = r#"{"mcp": {"servers": {"type": "local", "command": ["a"]}}}"#;
    let json: serde_json::Value = serde_json::from_str(&put(Client::OpenCode, text).unwrap().unwrap()).unwrap();
    assert_eq!(json["mcp"]["hermes"]["command"][1], "mcp");
}

#[test]
fn what_is_not_understood_is_refused() {
    let json = [
        "{",
        "[]",
        "7",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": 7}",
        "{'mcpServers': {}}",
        "{\"a\": 1 \"b\": 2}",
        "nonsense",
        "{\"mcpServers\": {}} {}",
    ];
    for text in json {
        assert!(matches!(put(Client::Cursor, text), Err(Wrong::Malformed(_))), "{text}");
    }
    for text in ["[mcp_servers", "mcp_servers = 7", "[[mcp_servers]]", "a = 1\na = 2"] {
        assert!(matches!(put(Client::Codex, text), Err(Wrong::Malformed(_))), "{text}");
    }
    assert!(put(Client::Cursor, "  \n").unwrap().is_some(), "an empty file is one without settings");
    assert!(put(Client::Cursor, "// nothing yet\n").unwrap().unwrap().starts_with("// nothing yet\n"));
    let deep = "[".repeat(100_000);
    assert!(matches!(put(Client::Cursor, &deep), Err(Wrong::Malformed(_))));
}
