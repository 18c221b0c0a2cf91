//! The command line of the MCP Inspector, where it is installed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::web::Web;
use crate::scene::Scene;

/// Names the program `mcp-inspector`.
const INSPECTOR: &str = "HERMES_TEST_INSPECTOR";

struct Inspector<'a> {
    program: PathBuf,
    scene: &'a Scene,
    /// How it reaches the server.
    target: Vec<String>,
}

impl Inspector<'_> {
    fn ask(&self, method: &str, args: &[String]) -> Value {
        #[expect(clippy::disallowed_methods, reason = "the client is a program")]
        let mut command = Command::new(&self.program);
        command.arg("--cli").args(&self.target).args(["--method", method]).args(args);
        command.env("HERMES_HOME", self.scene.path("home")).env("HOME", self.scene.path("user"));
        let ran = command.current_dir(self.scene.path("user")).stdin(Stdio::null()).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{method} {args:?}: {out}\n{err}");
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{method} {args:?}: {error}: {out}\n{err}"))
    }

    fn call(&self, tool: &str, args: &Value) -> Value {
        let mut words = vec!["--tool-name".to_owned(), tool.to_owned()];
        for (name, value) in args.as_object().unwrap() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            words.extend(["--tool-arg".to_owned(), format!("{name}={value}")]);
        }
        self.ask("tools/call", &words)
    }

    /// Lists all, calls every tool, reads every resource, and gets every prompt.
    fn goes_through(&self) {
        let calls = [
            ("memory", json!({"content": "Вера пьёт чай"})),
            ("session_search", json!({"query": "Бисквит"})),
            ("fact_store", json!({"action": "add", "content": "Biscuit is a spaniel"})),
            ("fact_feedback", json!({"action": "helpful", "fact_id": "1"})),
            ("memory_recall", json!({"message": "Who is Biscuit?"})),
            ("memory_record_turn", json!({"user": "Who is Biscuit?", "assistant": "A spaniel."})),
            ("memory_status", json!({})),
        ];
        let tools = self.ask("tools/list", &[])["tools"].clone();
        assert_eq!(super::names(&tools), calls.each_ref().map(|(name, _)| *name));
        for (tool, args) in &calls {
            let answer = self.call(tool, args);
            assert!(answer["content"][0]["text"].is_string(), "{tool}: {answer}");
            assert!(answer["isError"] != true || *tool == "fact_feedback", "{tool}: {answer}");
        }
        let resources = self.ask("resources/list", &[])["resources"].clone();
        for resource in resources.as_array().unwrap() {
            let read = self.ask("resources/read", &["--uri".to_owned(), resource["uri"].as_str().unwrap().to_owned()]);
            assert!(read["contents"][0]["text"].is_string(), "{read}");
        }
        for prompt in self.ask("prompts/list", &[])["prompts"].as_array().unwrap() {
            let name = prompt["name"].as_str().unwrap().to_owned();
            let got = self.ask("prompts/get", &["--prompt-name".to_owned(), name]);
            assert!(got["messages"][0]["content"]["text"].is_string(), "{got}");
        }
    }
}

#[test]
fn the_inspector_goes_through_all_of_it() {
    let Some(program) = std::env::var_os(INSPECTOR).map(PathBuf::from) else {
        eprintln!("skipped: {INSPECTOR} does not name the MCP Inspector's program");
        return;
    };
    let scene = Scene::with_memory();
    let by_pipes = vec![scene.path("bin/hermes").to_str().unwrap().to_owned(), "mcp".to_owned()];
    Inspector { program: program.clone(), scene: &scene, target: by_pipes }.goes_through();
    let web = Web::serve(&scene, "");
    let header = format!("Authorization: Bearer {}", web.token);
    let target =
        [&format!("http://{}/mcp", web.address), "--transport", "http", "--header", &header].map(str::to_owned);
    Inspector { program, scene: &scene, target: target.into() }.goes_through();
    assert_eq!(web.stop().0, 0);
}
