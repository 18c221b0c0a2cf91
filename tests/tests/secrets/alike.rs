//! What looks like a secret and is none, and how often ordinary text is touched.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_host::guard::Redactor;
use hermes_tests::workspace;

const ALIKE: &[&str] = &[
    "046155d 046155d3c2 046155d3c2f1e0a9b8d7c6e5f4a3b2c1d0e9f8a7",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAKIAIOSFODNN7EXAMPLEXX",
    "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00",
    "integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "+1 415 555 0132, 8 (495) 123-45-67, ISBN 978-3-16-148410-0",
    "!function(e,t){\"object\"==typeof exports?t(exports):t(e.React={})}(this,function(e){var t=60103,n=60106})",
    ".btn-primary-outline-2xl:hover > .sk-circle12:before { color: #fff }",
    "scikit-learn or sk-learn, sk-learn-1.5.2-based-pipeline",
    "/usr/lib/x86_64-linux-gnu/libhermes_provider_api-0123456789abcdef.rlib",
    "password: yes please",
    "my password is too long, and the token: nobody knows it",
    "let token = parser.next();",
    "token = next_token",
    "api_key=os.environ[\"API_KEY\"]",
    "api_key = settings.API_KEY",
    "const apiKey = process.env.OPENAI_API_KEY;",
    "password=getpass.getpass()",
    "fn open(token: &str, secret: Option<String>, password: String) -> bool",
    "if token == expected && secret != other {",
    "password=<your-key> token=xxxx secret=*** api_key=YOUR_API_KEY",
    "api_key: your-api-key-here",
    "--token <TOKEN> --password PASSWORD",
    "OPENAI_API_KEY=$OPENAI_API_KEY token=${{ secrets.TOKEN }} key={{ token }}",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxx ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "max_token: 4096, token=128",
    "fetch(url, { credentials: 'include' })",
    "{\"password\": {\"type\": \"string\"}, \"required\": [\"token\"]}",
    "npm_config_registry npm_package_dependencies_react hf_hub_download pypi-attestations",
    "github_pat_ and ghp_ are how tokens begin",
    "hf_transformers_model_v2_large_uncased sm_source_of_all rdb_uri_of_file brv_query_of_user",
    "a cookie: it was sweet; the author = me",
    "cargo:rustc-link-search=native=/usr/lib",
    "session_id 20260101_120000_ab12cd, call_0123456789abcdef, toolu_01A09q90qw90lq917835lq9",
    "see https://example.com:8080/a@b or mail ann@example.com",
    "Анна любит зелёный чай, 安娜喜欢绿茶, آنا چای سبز می\u{200C}خواهد, แอนนาชอบชาเขียว",
];

#[test]
fn what_looks_alike_is_left_alone() {
    let redactor = Redactor::default();
    let touched: Vec<_> = ALIKE
        .iter()
        .filter(|text| redactor.redact(text) != **text)
        .map(|text| format!("{text:?} became {:?}", redactor.redact(text)))
        .collect();
    assert!(touched.is_empty(), "{}", touched.join("\n"));
}

/// The texts of a JSON file.
fn texts(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        serde_json::Value::Object(fields) => fields.values().for_each(|field| texts(field, out)),
        _ => {}
    }
}

fn files(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && !["target", ".git"].iter().any(|left_out| name == *left_out) {
            files(&path, endings, out);
        } else if path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending)) {
            out.push(path);
        }
    }
}

/// The lines that are touched, of all.
fn touched<'a>(lines: impl Iterator<Item = &'a str>) -> (Vec<String>, usize) {
    let redactor = Redactor::default();
    let (mut found, mut all) = (Vec::new(), 0);
    for line in lines {
        all += 1;
        let redacted = redactor.redact(line);
        if redacted != line {
            found.push(format!("{} -> {}", line.trim(), redacted.trim()));
        }
    }
    (found, all)
}

/// Conversations and articles in twelve languages, where they are.
#[test]
fn a_corpus_of_conversations_is_not_touched() {
    let folder = workspace().join("../shared/bench");
    let mut paths = Vec::new();
    for corpus in ["locomo", "xquad"] {
        files(&folder.join(corpus), &["json"], &mut paths);
    }
    if paths.is_empty() {
        println!("skipped: no corpus in {}", folder.display());
        return;
    }
    let mut all = Vec::new();
    for path in &paths {
        texts(&serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap(), &mut all);
    }
    let (mut found, count) = touched(all.iter().map(String::as_str));
    println!("{} of {count} texts of {} files are touched", found.len(), paths.len());
    // One address of a picture has a whole JSON Web Token in its query, which is a secret by any rule.
    found.retain(|line| !line.contains("?token=eyJ"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Our own sources and docs: code about secrets is the hardest text there is. Tests hold deliberate examples.
#[test]
fn our_own_sources_are_hardly_touched() {
    let mut paths = Vec::new();
    files(workspace(), &["rs", "md", "toml"], &mut paths);
    let about = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        !["/tests", "tests.rs", "/guard/", "/secrets/", "Cargo.lock", "CHANGELOG"]
            .iter()
            .any(|part| path.contains(part))
    };
    let mut all = String::new();
    for path in paths.iter().filter(about) {
        let text = fs::read_to_string(path).unwrap();
        all += text.split("#[cfg(test)]").next().unwrap_or_default();
    }
    let (found, count) = touched(all.lines());
    println!("{} of {count} lines of our sources are touched:\n{}", found.len(), found.join("\n"));
    assert!(found.len() * 2000 <= count, "{}", found.join("\n"));
}
