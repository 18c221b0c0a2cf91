//! The rules over the text itself: code that takes something away or opens a door, marks of a chat's format, hidden HTML.
//!
//! They are bounded regular expressions of ASCII on the folded text. Most texts have none of the pieces that every one of
//! them needs, and then none is made.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Family::{CommandAndControl, Exfiltration, HiddenHtml, Injection, Persistence};
use super::Scope::{All, Context, Strict};
use super::rules::Match;
use super::{Family, Scope};

/// Name, family, least strict scope, expression. Spaces in an expression stand for white space or none.
type Shape = (&'static str, Family, Scope, &'static str);

const SHAPES: &[Shape] = &[
    // What only the format of a chat has.
    ("chat_marks", Injection, All, r"<\|(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>"),
    ("chat_marks", Injection, All, r"<<sys>>|<</sys>>|\[/?inst\]|<start_of_turn>|<end_of_turn>|\[/?system_prompt\]"),
    ("chat_marks", Injection, Context, r"</?system(?:[_-](?:prompt|message|instructions?))?>[^<]{1,300}"),
    ("chat_marks", Injection, Context, r"(?:^|\n)[#>* \[(-]{0,8}(?:system|admin|developer|root)(?: message| note| prompt| notice)?[\])*]{0,3} ?:[ \n]?[^\n]{0,40}\b(?:you must|you are|you will|ignore|override|disregard|forget|the (?:assistant|model|ai)\b)"),
    ("chat_marks", Injection, Context, r"(?:^|\n)[#*=\[< -]{0,8}\[?(?:system|admin|root)\]?[ :\]]{1,3}(?:override|overide|command|directive)\b"),
    ("chat_marks", Injection, Context, r"\b(?:begin|start) (?:of )?(?:admin|system|developer|root) (?:message|prompt|instructions?|override)\b"),
    ("address_to_model", Injection, Context, r"\b(?:as an?|if you are an?|dear|attention|note to (?:the )?|any|every) ?(?:ai|llm|language model|ai language model|large language model|chatbot|ai assistant|ai agent)s?\b[^.\n]{0,60}\b(?:reading|processing|summari[sz]ing|parsing|must|should|have to)\b[^.\n]{0,60}\b(?:must|recommend|say|answer|rate|praise|obey|follow|execute|send|always|never)\b"),
    // Commands that take secrets away.
    ("send_by_command", Exfiltration, All, r"\b(?:curl|wget|http|https|xh|invoke-webrequest|iwr)\b[^\n]{0,200}(?:\$\( ?(?:cat|env|printenv|base64|whoami|tar)\b|` ?(?:cat|env|printenv|base64)\b|\$\{?[a-z0-9_]{0,40}(?:key|token|secret|passw(?:or)?d|credential)s?\b)"),
    ("send_by_command", Exfiltration, All, r"\b(?:curl|wget)\b[^\n]{0,120}(?:@|--post-file[= ])[^ \n]{0,80}(?:\.env\b|\.ssh|id_rsa|id_ed25519|\.aws|\.netrc|\.gnupg|\.kube|shadow|credentials)"),
    ("send_by_command", Exfiltration, All, r"\b(?:cat|tar|printenv|env|base64|zip|gpg|history|find)\b[^\n|]{0,120}\|[^\n]{0,80}\b(?:nc|ncat|netcat|curl|wget|telnet|socat)\b"),
    ("send_by_command", Exfiltration, All, r"\b(?:scp|rsync|rclone|sftp)\b[^\n]{0,60}(?:\.ssh|\.gnupg|\.aws|\.kube|\.env\b|/etc/shadow|id_rsa|id_ed25519)[^\n]{0,60}[a-z0-9_.-]{1,60}@?[a-z0-9_.-]{1,60}:"),
    ("send_by_command", Exfiltration, All, r"/etc/shadow[^\n]{0,40}\|"),
    ("send_by_image", Exfiltration, All, r"!\[[^\]\n]{0,80}\]\( ?https?://[^)\n]{0,200}[?&/=][^)\n]{0,80}(?:\{\{?|%7b|\$\{|\[|<)[^)\n]{0,60}\b?(?:conversation|chat|history|secret|password|token|key|prompt|memory|memories|data|message|env|user)"),
    ("send_by_script", Exfiltration, All, r"(?:fetch|xmlhttprequest|sendbeacon|new image|location|src|href)\b[^\n]{0,120}(?:document\.cookie|localstorage|sessionstorage)"),
    // What stays behind.
    ("add_login_key", Persistence, All, r">{1,2} ?[^ \n]{0,60}authorized_keys"),
    ("add_login_key", Persistence, All, r"\b(?:tee|cat|cp|mv|install)\b[^\n]{0,60}\bauthorized_keys"),
    ("run_at_startup", Persistence, All, r"(?:>{1,2}|\btee\b(?: -a)?) ?[^ \n]{0,60}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|config\.fish|/etc/cron[^ \n]{0,20}|/etc/rc\.local|/etc/ld\.so\.preload|/etc/sudoers)"),
    ("run_at_startup", Persistence, All, r"crontab -l?[^\n]{0,120}\b(?:curl|wget|bash|sh|nc|python3?)\b|\b(?:curl|wget|nc)\b[^\n]{0,120}\| ?crontab\b"),
    ("run_at_startup", Persistence, Strict, r"(?:curl|wget|eval|base64 -d|/tmp/)[^\n]{0,120}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|crontab|/etc/cron)"),
    ("run_at_startup", Persistence, Strict, r"(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|crontab|/etc/cron)[^\n]{0,80}(?:\bcurl\b|\bwget\b|\beval\b|base64 -d|/tmp/)"),
    ("change_agent_files", Persistence, All, r">{1,2} ?[^ \n]{0,60}(?:agents\.md|claude\.md|soul\.md|gemini\.md|\.cursorrules|\.windsurfrules|copilot-instructions\.md)"),
    // Doors.
    ("reverse_shell", CommandAndControl, All, r"/dev/(?:tcp|udp)/[a-z0-9.$\{\}_-]{1,80}/"),
    ("reverse_shell", CommandAndControl, All, r"\b(?:nc|ncat|netcat)\b[^\n|]{0,60} -(?:[a-z]{0,5}e|c) ?[^\n ]{0,20}(?:/bin/|sh\b|cmd|powershell)"),
    ("reverse_shell", CommandAndControl, All, r"\bmkfifo\b[^\n]{0,120}\b(?:nc|ncat|netcat|openssl|telnet)\b"),
    ("reverse_shell", CommandAndControl, All, r"socket[^\n]{0,200}connect[^\n]{0,200}(?:dup2|/bin/(?:ba)?sh|subprocess|pty\.spawn)"),
    ("reverse_shell", CommandAndControl, All, r"\bsocat\b[^\n]{0,80}exec:|\bbash -i ?>&"),
    ("encoded_command", CommandAndControl, All, r"\bpowershell(?:\.exe)?\b[^\n]{0,80} -(?:e|ec|enc|encodedcommand)\b ?[a-z0-9+/=]{16}"),
    ("encoded_command", CommandAndControl, All, r"base64 (?:-d|--decode|-di)\b[^\n]{0,40}\| ?(?:sudo )?(?:ba|z|da)?sh\b"),
    ("download_and_run", CommandAndControl, Context, r"\b(?:curl|wget)\b[^\n|]{0,60}https?://[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[^\n|]{0,120}\| ?(?:sudo )?(?:-e )?(?:ba|z|da|k)?sh\b"),
    ("download_and_run", CommandAndControl, Strict, r"\b(?:curl|wget|fetch)\b[^\n|]{0,200}\| ?(?:sudo )?(?:-e )?(?:(?:ba|z|da|k)?sh|python3?|perl|node|ruby)\b|(?:\$\(|<\(|`) ?(?:curl|wget)\b"),
    // What a page does not show.
    ("hidden_comment", HiddenHtml, Context, r"<!--[^>]{0,200}(?:\b(?:assistant|chatbot|system ?:|instructions?|llms?|ai (?:agents?|models?|assistants?)|ai ?:|agents?:|chatgpt|claude|you must|obey|do not (?:tell|mention|reveal|refuse)|the model|(?:ignore|disregard|forget) (?:all|any|your|the|what|previous|everything))\b)"),
    ("hidden_comment", HiddenHtml, Context, r"\[//\]: ?# ?[(\x22'][^)\n]{0,120}\b(?:assistant|system|model|ai|agents?|llm|instructions?|ignore|must)\b"),
    ("hidden_element", HiddenHtml, Context, r#"<[a-z][a-z0-9]{0,15} [^>]{0,200}style ?= ?["']?[^>"']{0,200}(?:display ?: ?none|visibility ?: ?hidden|opacity ?: ?0(?:\.0{0,3})?[;"' >]|font-size ?: ?[01](?:\.[0-9]{1,3})?(?:px|pt|em|rem|%)?[;"' >]|(?:left|top|text-indent) ?: ?-[0-9]{3,6}(?:px|em)?|(?:width|height) ?: ?0(?:px)?[;"' >])"#),
    ("hidden_element", HiddenHtml, Context, r"<[a-z][a-z0-9]{0,15} (?:[^>]{0,200} )?hidden(?: |>|=)[^<]{0,300}"),
    ("hidden_element", HiddenHtml, Context, r#"<[a-z][a-z0-9]{0,15} [^>]{0,200}style ?= ?["']?[^>"']{0,120}color ?: ?(?:white|#fff(?:fff)?|transparent|rgba?\( ?255 ?, ?255 ?, ?255|rgba?\([^)]{0,20}, ?0\))[^>"']{0,120}"#),
    ("hidden_element", HiddenHtml, Context, r#"<iframe [^>]{0,300}(?:width|height) ?= ?["']?[01]["' >]"#),
    ("active_element", HiddenHtml, Strict, r#"<[a-z][a-z0-9]{0,15}[ /][^>]{0,300}\bon(?:error|load|click|mouseover|focus|toggle|begin|start) ?= ?["']?[a-z]"#),
    ("active_element", HiddenHtml, Strict, r#"<script(?: [^>]{0,200})?>[^<]{1,300}|(?:href|src) ?= ?["']? ?(?:javascript|vbscript|data:text/html)[:;,]"#),
];

struct Matcher {
    set: RegexSet,
    /// Each alone, to find where it matches; made when it does.
    alone: Vec<OnceLock<Regex>>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let set = RegexSetBuilder::new(SHAPES.iter().map(|(.., shape)| expression(shape))).unicode(false).build();
    let set = set.expect("the shapes are few and bounded");
    Matcher { set, alone: SHAPES.iter().map(|_| OnceLock::new()).collect() }
});

/// What the shapes of a scope find in a folded text.
pub(super) fn find(text: &str, scope: Scope) -> Vec<Match> {
    let matcher = &*MATCHER;
    let mut found = Vec::new();
    for number in &matcher.set.matches(text.as_bytes()) {
        let (name, family, least, shape) = SHAPES[number];
        if least > scope {
            continue;
        }
        let alone = matcher.alone[number].get_or_init(|| {
            RegexBuilder::new(&expression(shape)).unicode(false).build().expect("it was part of a set that was built")
        });
        found.extend(alone.find_iter(text.as_bytes()).map(|at| Match { name, family, at: at.range() }));
    }
    found
}

fn expression(shape: &str) -> String {
    format!("(?s-u){shape}")
}
