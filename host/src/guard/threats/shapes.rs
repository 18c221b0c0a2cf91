//! The rules over the text itself: code that takes something away or opens a door, marks of a chat's format, hidden HTML.
//!
//! Each begins with one of a few literal words, which one automaton looks for; what follows is a bounded regular
//! expression of ASCII on the folded text, tried only there. Most texts have none of the words, and then no expression is
//! ever made.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};

use super::Family::{CommandAndControl, Exfiltration, HiddenHtml, Injection, Persistence};
use super::Scope::{All, Context, Strict};
use super::rules::Match;
use super::{Family, Scope};

/// What must be before the word that a shape begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Anything,
    /// No letter or digit.
    NoLetter,
    /// The beginning of a line, and signs of a heading or list.
    LineStart,
    /// An open tag of HTML.
    Tag,
}

use Before::{Anything, LineStart, NoLetter, Tag};

/// A rule over the text: what it finds, the least strict scope that it is for, and how that looks.
struct Shape {
    name: &'static str,
    family: Family,
    scope: Scope,
    looks: &'static [Look],
}

/// What must be before, the words that it may begin with, separated by `¦`, and how it goes on.
struct Look(Before, &'static str, &'static str);

/// The longest stretch that a shape is tried on, in bytes.
const REACH: usize = 640;

const SHAPES: &[Shape] = &[
    // What only the format of a chat has.
    Shape {
        name: "chat_marks",
        family: Injection,
        scope: All,
        looks: &[
            Look(
                Anything,
                "<|",
                r"(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>",
            ),
            Look(
                Anything,
                "<<sys>>¦<</sys>>¦[inst]¦[/inst]¦<start_of_turn>¦<end_of_turn>¦[system_prompt]¦[/system_prompt]",
                "",
            ),
        ],
    },
    Shape {
        name: "chat_marks",
        family: Injection,
        scope: Context,
        looks: &[
            Look(Anything, "<system¦</system", r"(?:[_-](?:prompt|message|instructions?))?>[^<]{1,300}"),
            Look(
                LineStart,
                "system¦admin¦developer¦root",
                r"(?: message| note| prompt| notice)?[\])*]{0,3} ?:[ \n]?[^\n]{0,40}\b(?:you must|you are|you will|ignore|override|disregard|forget|the (?:assistant|model|ai)\b)",
            ),
            Look(LineStart, "system¦admin¦root", r"\]?[ :\]]{1,3}(?:override|command|directive)\b"),
            Look(
                NoLetter,
                "begin¦start",
                r" (?:of )?(?:admin|system|developer|root) (?:message|prompt|instructions?|override)\b",
            ),
        ],
    },
    Shape {
        name: "address_to_model",
        family: Injection,
        scope: Context,
        looks: &[Look(
            NoLetter,
            "as an¦as a¦if you are an¦if you are a¦dear¦attention¦note to¦any¦every",
            r" (?:the )?(?:ai|llm|language model|ai language model|large language model|chatbot|ai assistant|ai agent)s?\b[^.\n]{0,60}\b(?:reading|processing|summari[sz]ing|parsing|must|should|have to)\b[^.\n]{0,60}\b(?:must|recommend|say|answer|rate|praise|obey|follow|execute|send|always|never)\b",
        )],
    },
    // Commands that take secrets away. What is only usual in notes on work, such as a key in a header, is none of them.
    Shape {
        name: "send_by_command",
        family: Exfiltration,
        scope: All,
        looks: &[
            Look(
                NoLetter,
                "curl¦wget¦invoke-webrequest¦iwr",
                r"\b[^\n]{0,200}(?:\$\(|`) ?(?:cat|env|printenv|base64|whoami|tar)\b",
            ),
            Look(
                NoLetter,
                "curl¦wget",
                r"\b[^\n]{0,120}(?:@|--post-file[= ])[^ \n]{0,80}(?:\.env\b|\.ssh|id_rsa|id_ed25519|\.aws|\.netrc|\.gnupg|\.kube|shadow|credentials)",
            ),
            Look(
                NoLetter,
                "printenv¦env |¦env|¦history |¦history|¦gpg ",
                r"[^\n]{0,120}\b(?:nc|ncat|netcat|curl|wget|telnet|socat)\b",
            ),
            Look(
                NoLetter,
                "cat ¦tar ¦zip ¦base64 ¦find ",
                r"[^\n|]{0,120}(?:\.ssh|id_rsa|id_ed25519|\.env\b|\.aws|\.netrc|\.gnupg|\.kube|shadow|passwd|credentials)[^\n|]{0,60}\|[^\n]{0,80}\b(?:nc|ncat|netcat|curl|wget|telnet|socat)\b",
            ),
        ],
    },
    Shape {
        name: "send_by_command",
        family: Exfiltration,
        scope: Strict,
        looks: &[
            Look(
                NoLetter,
                "curl¦wget¦invoke-webrequest¦iwr",
                r"\b[^\n]{0,160}https?://[^ \n]{0,120}\$\{?[a-z0-9_]{0,40}(?:key|token|secret|passw(?:or)?d|credential)s?\b",
            ),
            Look(
                NoLetter,
                "scp ¦rsync ¦rclone ¦sftp ",
                r"[^\n]{0,60}(?:\.ssh|\.gnupg|\.aws|\.kube|\.env\b|/etc/shadow|id_rsa|id_ed25519)[^\n]{0,60}[a-z0-9_.-]{1,60}@?[a-z0-9_.-]{1,60}:",
            ),
        ],
    },
    Shape {
        name: "send_by_image",
        family: Exfiltration,
        scope: All,
        looks: &[Look(
            Anything,
            "![",
            r"[^\]\n]{0,80}\]\( ?https?://[^)\n]{0,200}[?&/=][^)\n]{0,80}(?:\{\{?|%7b|\$\{|\[|<)[^)\n]{0,60}(?:conversation|chat|history|secret|password|token|key|prompt|memory|memories|data|message|env|user)",
        )],
    },
    Shape {
        name: "send_by_script",
        family: Exfiltration,
        scope: Context,
        looks: &[
            Look(
                NoLetter,
                "fetch(¦sendbeacon(¦new image(¦.open(",
                r"[^\n]{0,120}(?:document\.cookie|localstorage|sessionstorage)",
            ),
            Look(NoLetter, "location¦src¦href", r" ?=[^\n]{0,120}(?:document\.cookie|localstorage|sessionstorage)"),
        ],
    },
    // What stays behind.
    Shape {
        name: "add_login_key",
        family: Persistence,
        scope: Strict,
        looks: &[
            Look(Anything, ">", r">? ?[^ \n]{0,60}authorized_keys"),
            Look(NoLetter, "tee ¦cp ¦mv ¦install ", r"[^\n]{0,60}\bauthorized_keys"),
        ],
    },
    Shape {
        name: "run_at_startup",
        family: Persistence,
        scope: Strict,
        looks: &[
            Look(Anything, ">¦tee ", r"(?:>|-a)? ?(?:/etc/ld\.so\.preload|/etc/sudoers)"),
            Look(
                NoLetter,
                "curl ¦wget ¦base64 -d",
                r"[^\n]{0,120}(?:\||\)\x22?'?\x22? ?>)[^\n]{0,80}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\bcrontab|/etc/cron)",
            ),
            Look(
                Anything,
                ".bashrc¦.zshrc¦.profile¦.bash_profile¦crontab¦/etc/cron",
                r"[^\n]{0,80}(?:\b(?:curl|wget)\b[^\n]{0,100}(?:\| ?(?:ba|z|da)?sh\b|https?://[0-9]{1,3}\.[0-9]{1,3}\.)|\(curl\b|base64 -d|path ?= ?/tmp/)",
            ),
        ],
    },
    Shape {
        name: "change_agent_files",
        family: Persistence,
        scope: Strict,
        looks: &[Look(
            Anything,
            ">",
            r">? ?[^ \n]{0,60}(?:agents\.md|claude\.md|soul\.md|gemini\.md|\.cursorrules|\.windsurfrules|copilot-instructions\.md)",
        )],
    },
    // Doors.
    Shape {
        name: "reverse_shell",
        family: CommandAndControl,
        scope: All,
        looks: &[
            Look(Anything, ">& /dev/tcp/¦>&/dev/tcp/¦>& /dev/udp/¦>&/dev/udp/", r"[a-z0-9.$\{\}_-]{1,80}/"),
            Look(Anything, "/dev/tcp/¦/dev/udp/", r"[a-z0-9.$\{\}_-]{1,80}/[^\n]{0,40}>&"),
            Look(
                NoLetter,
                "nc ¦ncat ¦netcat ",
                r"[^\n|]{0,60}-(?:[a-z]{0,5}e|c) ?[^\n ]{0,20}(?:/bin/|sh\b|cmd|powershell)",
            ),
            Look(NoLetter, "mkfifo", r"\b[^\n]{0,160}\b(?:nc|ncat|netcat|openssl|telnet)\b"),
            Look(NoLetter, "socket", r"[^\n]{0,200}connect[^\n]{0,200}(?:dup2|/bin/(?:ba)?sh|subprocess|pty\.spawn)"),
            Look(NoLetter, "socat ¦bash -i", r"(?: ?>&|[^\n]{0,80}exec:)"),
        ],
    },
    Shape {
        name: "encoded_command",
        family: CommandAndControl,
        scope: All,
        looks: &[
            Look(NoLetter, "powershell", r"(?:\.exe)?\b[^\n]{0,80} -(?:e|ec|enc|encodedcommand)\b ?[a-z0-9+/=]{16}"),
            Look(NoLetter, "base64 -d¦base64 --decode", r"[^\n]{0,40}\| ?(?:sudo )?(?:ba|z|da)?sh\b"),
        ],
    },
    Shape {
        name: "download_and_run",
        family: CommandAndControl,
        scope: Context,
        looks: &[Look(
            NoLetter,
            "curl ¦wget ",
            r"[^\n|]{0,60}https?://[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[^\n|]{0,120}\| ?(?:sudo )?(?:-e )?(?:ba|z|da|k)?sh\b",
        )],
    },
    Shape {
        name: "download_and_run",
        family: CommandAndControl,
        scope: Strict,
        looks: &[
            Look(
                NoLetter,
                "curl ¦wget ",
                r"[^\n|]{0,200}\| ?(?:sudo )?(?:-e )?(?:(?:ba|z|da|k)?sh|python3?|perl|node|ruby)\b",
            ),
            Look(Anything, "$(¦<(¦`", r" ?(?:curl|wget)\b"),
        ],
    },
    // What a page does not show.
    Shape {
        name: "hidden_comment",
        family: HiddenHtml,
        scope: Context,
        looks: &[
            Look(
                Anything,
                "<!--",
                r"[^>]{0,200}\b(?:assistant|chatbot|system ?:|instructions?\b|llms?\b|ai (?:agents?|models?|assistants?)|ai ?:|agents?:|chatgpt|claude|you must|obey|do not (?:tell|mention|reveal|refuse)|the model|(?:ignore|disregard|forget) (?:all|any|your|the|what|previous|everything)\b)",
            ),
            Look(
                Anything,
                "[//]: #¦[//]:#",
                r" ?[(\x22'][^)\n]{0,120}\b(?:assistant|system|model|ai|agents?|llm|instructions?|ignore|must)\b",
            ),
        ],
    },
    Shape {
        name: "hidden_element",
        family: HiddenHtml,
        scope: Context,
        looks: &[
            Look(Tag, "display", r" ?: ?none"),
            Look(Tag, "visibility", r" ?: ?hidden"),
            Look(Tag, "opacity", r#" ?: ?0(?:\.0{0,3})?[;"' >]"#),
            Look(Tag, "font-size", r#" ?: ?[01](?:\.[0-9]{1,3})?(?:px|pt|em|rem|%)?[;"' >]"#),
            Look(Tag, "left¦top¦text-indent", r" ?: ?-[0-9]{3,6}"),
            Look(
                Tag,
                "color",
                r" ?: ?(?:white|#fff(?:fff)?|transparent|rgba?\( ?255 ?, ?255 ?, ?255|rgba\([^)]{0,20}, ?0\))",
            ),
            Look(Tag, " hidden", r"[ >=]"),
            Look(Anything, "<iframe ", r#"[^>]{0,300}(?:width|height) ?= ?["']?[01]["' >]"#),
        ],
    },
    Shape {
        name: "active_element",
        family: HiddenHtml,
        scope: Strict,
        looks: &[
            Look(Tag, "onerror¦onload¦onclick¦onmouseover¦onfocus¦ontoggle¦onbegin¦onstart", r#" ?= ?["']?[a-z]"#),
            Look(Tag, "javascript:¦vbscript:¦data:text/html", ""),
            Look(Anything, "<script", r"(?: [^>]{0,200})?>[^<]{1,300}"),
        ],
    },
];

struct Matcher {
    words: AhoCorasick,
    /// The looks that begin with each word.
    of_word: Vec<Vec<usize>>,
    /// Each with its shape, and its expression from the word on, which is made when the word is met.
    looks: Vec<(&'static Shape, &'static Look, OnceLock<Regex>)>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let (mut words, mut of_word): (Vec<&str>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let looks = SHAPES.iter().flat_map(|shape| shape.looks.iter().map(move |look| (shape, look, OnceLock::new())));
    let looks: Vec<_> = looks.collect();
    for (number, (_, Look(_, begins, _), _)) in looks.iter().enumerate() {
        for word in begins.split('¦') {
            match words.iter().position(|known| *known == word) {
                Some(known) => of_word[known].push(number),
                None => {
                    words.push(word);
                    of_word.push(vec![number]);
                }
            }
        }
    }
    let words = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(&words);
    let words = words.expect("a few short words make an automaton");
    Matcher { words, of_word, looks }
});

/// What the shapes of a scope find in a folded text.
pub(super) fn find(text: &str, scope: Scope) -> Vec<Match> {
    let matcher = &*MATCHER;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for word in matcher.words.find_overlapping_iter(text) {
        for &number in &matcher.of_word[word.pattern().as_usize()] {
            let (shape, look, made) = &matcher.looks[number];
            if shape.scope > scope || !look.0.holds(&bytes[..word.start()]) {
                continue;
            }
            let expression = made.get_or_init(|| expression(look));
            let rest = &bytes[word.start()..bytes.len().min(word.start() + REACH)];
            if let Some(len) = expression.find(rest).map(|found| found.end()) {
                found.push(Match {
                    name: shape.name,
                    family: shape.family,
                    at: word.start()..whole(text, word.start() + len),
                });
            }
        }
    }
    found
}

impl Before {
    fn holds(self, before: &[u8]) -> bool {
        match self {
            Anything => true,
            NoLetter => !before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
            LineStart => {
                let signs = before.iter().rev().take(8).take_while(|byte| b"#>*[( =<-".contains(byte)).count();
                matches!(before[..before.len() - signs].last(), None | Some(b'\n'))
            }
            Tag => {
                let near = &before[before.len().saturating_sub(REACH)..];
                let open = near.iter().rposition(|byte| matches!(byte, b'<' | b'>'));
                open.is_some_and(|at| near[at] == b'<' && near.get(at + 1).is_some_and(u8::is_ascii_lowercase))
            }
        }
    }
}

fn expression(Look(_, begins, goes_on): &Look) -> Regex {
    let begins = begins.split('¦').map(regex::escape).collect::<Vec<_>>().join("|");
    let form = format!("^(?s-u:(?:{begins}){goes_on})");
    RegexBuilder::new(&form).unicode(false).build().expect("the shapes are bounded")
}

/// The end of a match, moved to that of its character.
fn whole(text: &str, mut end: usize) -> usize {
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_be_made() {
        SHAPES.iter().flat_map(|shape| shape.looks).for_each(|look| _ = expression(look));
    }
}
