//! `hermes mcp install`: the settings of other people's programs, in a user's folder of their own.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scene::Scene;

const CLIENTS: [(&str, &str); 8] = [
    ("claude-code", ".claude.json"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
    ("codex", ".codex/config.toml"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("zed", ".config/zed/settings.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("opencode", ".config/opencode/opencode.json"),
];

fn state(scene: &Scene, client: &str) -> String {
    let listed = scene.json("mcp install")["clients"].clone();
    let row = listed.as_array().unwrap().iter().find(|row| row["client"] == client && row["scope"] == "user");
    row.unwrap_or_else(|| panic!("{client}: {listed}"))["state"].as_str().unwrap().to_owned()
}

/// Each is told the same, in its own words, and its file is as it was when it is told no more.
#[cfg(target_os = "linux")]
#[test]
fn every_client_is_set_up_and_taken_back() {
    let scene = Scene::without_plugins();
    for (client, file) in CLIENTS {
        let path = format!("user/{file}");
        let gone = scene.run(&format!("mcp install {client}"));
        assert_eq!(gone.status, 1, "{}", gone.shown());
        assert!(gone.err.contains("was not found") && gone.err.contains("--force"), "{}", gone.err);
        assert_eq!(state(&scene, client), "not found");

        let before = match client {
            "codex" => "# mine: чай\nmodel = \"o\"\n".to_owned(),
            "claude-desktop" => "{\n    \"theme\": \"dark\"\n}\n".to_owned(),
            _ => "{\n    // mine: чай\n    \"theme\": \"dark\",\n}\n".to_owned(),
        };
        scene.write(&path, &before);
        assert_eq!(state(&scene, client), "not set up");
        let made = scene.json(&format!("mcp install {client}"));
        assert_eq!((&made["change"], made["next"].as_str().map(str::is_empty)), (&json!("changed"), Some(false)));
        let after = scene.read(&path);
        assert!(after.contains("bin/hermes") && after.contains("--home"), "{client}: {after}");
        assert_eq!(scene.read(&format!("{path}.before-hermes")), before);
        assert_eq!(state(&scene, client), "set up");
        assert_eq!(scene.json(&format!("mcp install {client}"))["change"], "unchanged");
        assert_eq!(scene.read(&path), after, "{client}");

        let removed = scene.json(&format!("mcp install {client} --remove"));
        assert_eq!(removed["change"], "changed");
        assert!(!scene.read(&path).contains("bin/hermes"), "{client}");
        for kept in before.lines().filter(|line| line.contains("mine") || line.contains("theme")) {
            assert!(scene.read(&path).contains(kept.trim_end_matches(',')), "{client}: {}", scene.read(&path));
        }
        assert_eq!(scene.json(&format!("mcp install {client} --remove"))["change"], "unchanged");
    }
}

/// What is written there starts a server that answers.
#[test]
fn what_is_written_can_be_started() {
    let scene = Scene::without_plugins();
    scene.does("profiles create work");
    scene.write("user/.cursor/mcp.json", "");
    scene.does("--profile work mcp install cursor");
    let settings: Value = serde_json::from_str(&scene.read("user/.cursor/mcp.json")).unwrap();
    let server = &settings["mcpServers"]["hermes"];
    let args: Vec<&str> = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    assert_eq!((args[0], args[1], args[3], args[4]), ("mcp", "--home", "--profile", "work"), "{args:?}");
    assert_eq!(server["command"], scene.path("bin/hermes").to_str().unwrap());
    // Clients hand on little of their environment.
    #[expect(clippy::disallowed_methods, reason = "as a client starts it")]
    let mut command = std::process::Command::new(server["command"].as_str().unwrap());
    let mut child = command
        .args(&args)
        .env_clear()
        .env("HOME", scene.path("user"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let info = json!({"name": "cursor", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
    use std::io::Write as _;
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
    writeln!(child.stdin.as_mut().unwrap(), "{message}").unwrap();
    let answered = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&answered.stdout).contains("serverInfo"), "{answered:?}");
}

#[test]
fn what_is_not_understood_is_not_touched() {
    let scene = Scene::without_plugins();
    for (file, text) in [("user/.gemini/settings.json", "{ \"a\": "), ("user/.codex/config.toml", "[mcp_servers")] {
        scene.write(file, text);
        let client = if file.ends_with("toml") { "codex" } else { "gemini-cli" };
        for flags in ["", " --force", " --remove"] {
            let ran = scene.run(&format!("mcp install {client}{flags}"));
            assert_eq!((ran.status, ran.err.contains("was not touched")), (1, true), "{}", ran.shown());
        }
        assert_eq!((scene.read(file), scene.path(&format!("{file}.before-hermes")).exists()), (text.to_owned(), false));
        assert_eq!(state(&scene, client), "not understood");
    }
    scene.write("user/.cursor/mcp.json", r#"{"mcpServers": {"hermes": {"command": "other"}}}"#);
    let taken = scene.run("mcp install cursor");
    assert!(taken.status == 1 && taken.err.contains("--name"), "{}", taken.shown());
    assert_eq!(state(&scene, "cursor"), "set up otherwise");
    scene.does("mcp install cursor --name hermes-memory");
    scene.does("mcp install cursor --force");
    assert!(!scene.read("user/.cursor/mcp.json").contains("other"));
}

#[test]
fn it_shows_what_it_would_write() {
    let scene = Scene::without_plugins();
    let shown = scene.run("mcp install claude-code --scope project --print");
    assert_snapshot!(shown.out, @r#"
    {
      "mcpServers": {
        "hermes": {
          "type": "stdio",
          "command": "hermes",
          "args": ["mcp", "--home", "/home"]
        }
      }
    }
    "#);
    assert!(!scene.path(".mcp.json").exists());
    // The folder that it is run in is the project.
    scene.does("mcp install claude-code --scope project");
    scene.does("mcp install vscode --scope project");
    assert!(scene.read(".mcp.json").contains("\"command\": \"hermes\""), "another user has it elsewhere");
    assert!(scene.read(".vscode/mcp.json").contains("servers"));
    let listed = scene.json("mcp install")["clients"].clone();
    let of_project = listed.as_array().unwrap().iter().filter(|row| row["scope"] == "project");
    assert_eq!(of_project.map(|row| row["state"].as_str().unwrap()).collect::<Vec<_>>(), ["set up", "set up"]);
    assert_eq!(scene.run("mcp install claude-desktop --scope project").status, 1);
    for wrong in
        ["mcp install emacs", "mcp install --print", "mcp install zed --name 'a b'", "mcp install zed --print --remove"]
    {
        assert_eq!(scene.run(wrong).status, 2, "{wrong}");
    }
    scene.does("mcp install zed --force");
    assert!(scene.read("user/.config/zed/settings.json").contains("context_servers"), "made with its folder");
}

/// Settings are often kept elsewhere and linked to.
#[test]
fn a_link_is_followed() {
    let scene = Scene::without_plugins();
    scene.write("dotfiles/cursor.json", "{}\n");
    std::fs::create_dir_all(scene.path("user/.cursor")).unwrap();
    std::os::unix::fs::symlink(scene.path("dotfiles/cursor.json"), scene.path("user/.cursor/mcp.json")).unwrap();
    scene.does("mcp install cursor");
    assert!(scene.path("user/.cursor/mcp.json").is_symlink());
    assert!(scene.read("dotfiles/cursor.json").contains("mcpServers"));
}
