//! `/skills`: the folder of another agent's skills, shown and not used.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// How much of a file is read: what is said of a skill stands at its beginning.
const BEGINNING: u64 = 16 << 10;
/// The most skills that are listed, and the most characters of what is said of one.
const MOST: usize = 200;
const LONGEST: usize = 160;

/// What there is, in a line each below one that says what that means.
pub(super) fn listed(home: &Path) -> String {
    let folder = home.join("skills");
    let mut skills = Vec::new();
    for one in below(&folder) {
        match skill(&one) {
            Some(skill) => skills.push(skill),
            // A folder of skills of one kind.
            None => skills.extend(below(&one).iter().filter_map(|one| skill(one))),
        }
    }
    let nothing = "hermes has no skills of its own and gives none to the model";
    if skills.is_empty() {
        return format!("{nothing}; there are none in `{}` either", folder.display());
    }
    skills.sort();
    skills.truncate(MOST);
    format!("{nothing}; in `{}` lie:\n{}", folder.display(), skills.join("\n"))
}

fn below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Its name and what is said of it.
fn skill(folder: &Path) -> Option<String> {
    let path = folder.join("SKILL.md");
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let front = text.trim_start_matches('\u{feff}').strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    let front = front.map_or("", |(front, _)| front);
    let field = |name: &str| {
        let value = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let value: String = value.trim().trim_matches(['"', '\'']).chars().filter(|c| !c.is_control()).collect();
        Some(hermes_text::truncate_chars(&value, LONGEST).to_owned()).filter(|value| !value.is_empty())
    };
    let name = field("name").or_else(|| Some(folder.file_name()?.to_string_lossy().into_owned()))?;
    Some(field("description").map_or_else(|| name.clone(), |about| format!("{name} — {about}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_listed_by_their_front_matter() {
        let home = tempfile::tempdir().unwrap();
        let says = || listed(home.path()).replace(home.path().to_str().unwrap(), "~");
        let nothing = "hermes has no skills of its own and gives none to the model";
        assert_eq!(says(), format!("{nothing}; there are none in `~/skills` either"));
        let write = |path: &str, text: &str| {
            let path = home.path().join("skills").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("b/SKILL.md", "---\nname: brew-tea\ndescription: \"How to \u{1b}[31mbrew\"\n---\nname: not this\n");
        write("kind/a/SKILL.md", "no front matter");
        write("notes/README.md", "---\nname: none\n---\n");
        assert_eq!(says(), format!("{nothing}; in `~/skills` lie:\na\nbrew-tea — How to [31mbrew"));
    }
}
