//! The rules over concepts: a verb, its object and what says which, with gaps of a few words between them.
//!
//! They are bounded regular expressions over the [signs](super::words) of a text, written once for all languages.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::concepts::*;
use super::words::{Lexicon, STOP, lexicon};
use super::{Family, Scope};

/// A part of a rule.
#[derive(Clone, Copy)]
enum Part {
    /// A word with one of these concepts.
    Is(Concepts),
    /// At most so many words of any kind, in the same sentence.
    Gap(u8),
    /// The same across sentences.
    Far(u8),
    /// The beginning of a sentence.
    Start,
}

use Family::{CommandAndControl, Exfiltration, Hijack, Injection, Persistence};
use Part::{Far, Gap, Is, Start};
use Scope::{All, Context, Strict};

/// A rule: its name, what it finds, the least strict scope that it is for, and its form.
struct Rule {
    name: &'static str,
    family: Family,
    scope: Scope,
    form: &'static [Part],
}

const fn rule(name: &'static str, family: Family, scope: Scope, form: &'static [Part]) -> Rule {
    Rule { name, family, scope, form }
}

/// What says that instructions are those that the model has.
const WHOSE: Concepts = ALL | PRIOR | YOURS | AUTHORITY;
const RULES_OF: Concepts = INSTRUCTIONS | INSTRUCTION;

static RULES: &[Rule] = &[
    // Ignore all previous instructions.
    rule("ignore_instructions", Injection, All, &[Is(OVERRIDE), Gap(6), Is(WHOSE), Gap(4), Is(INSTRUCTIONS)]),
    rule("ignore_instructions", Injection, All, &[Is(OVERRIDE), Gap(5), Is(ALL | PRIOR | YOURS), Gap(2), Is(RULES_OF)]),
    rule("ignore_instructions", Injection, All, &[Is(OVERRIDE), Gap(3), Is(INSTRUCTIONS), Gap(4), Is(PRIOR | YOURS | AUTHORITY)]),
    rule("ignore_instructions", Injection, All, &[Is(OVERRIDE), Gap(4), Is(PROMPT)]),
    rule("ignore_instructions", Injection, All, &[Is(INSTRUCTIONS), Gap(3), Is(WHOSE), Gap(5), Is(OVERRIDE_AFTER)]),
    rule("ignore_instructions", Injection, All, &[Is(WHOSE), Gap(3), Is(INSTRUCTIONS), Gap(4), Is(OVERRIDE_AFTER)]),
    rule("ignore_instructions", Injection, All, &[Is(PROMPT), Gap(3), Is(OVERRIDE_AFTER)]),
    rule("ignore_instructions", Injection, All, &[Is(NOT), Gap(2), Is(FOLLOW), Gap(4), Is(WHOSE), Gap(3), Is(INSTRUCTIONS)]),
    rule("ignore_instructions", Injection, All, &[Start, Gap(2), Is(FOLLOW), Gap(3), Is(PRIOR | YOURS), Gap(2), Is(INSTRUCTIONS), Gap(6), Is(NOT)]),
    rule("forget_what_was_said", Injection, Context, &[Is(OVERRIDE), Gap(2), Is(ALL), Gap(4), Is(TOLD)]),
    rule("forget_what_was_said", Injection, Context, &[Start, Gap(2), Is(OVERRIDE), Gap(1), Is(ALL), Gap(1), Is(PRIOR)]),
    // Your rules no longer apply.
    rule("instructions_void", Injection, All, &[Is(YOURS), Gap(3), Is(RULES_OF), Gap(6), Is(VOID)]),
    rule("instructions_void", Injection, All, &[Is(INSTRUCTIONS), Gap(2), Is(YOURS), Gap(6), Is(VOID)]),
    rule("instructions_void", Injection, All, &[Is(PRIOR), Gap(2), Is(INSTRUCTIONS), Gap(5), Is(VOID), Far(3), Is(FOLLOW)]),
    rule("instructions_void", Injection, All, &[Is(PRIOR), Gap(2), Is(INSTRUCTIONS), Gap(5), Is(VOID), Far(3), Is(NEW), Gap(1), Is(INSTRUCTIONS)]),
    rule("instructions_void", Injection, All, &[Is(INSTRUCTIONS | LIMIT), Gap(4), Is(YOURS), Gap(6), Is(VOID)]),
    rule("instructions_void", Injection, Context, &[Is(AUTHORITY), Gap(1), Is(INSTRUCTIONS), Gap(3), Is(VOID)]),
    // Follow these instead.
    rule("new_instructions", Injection, Context, &[Is(NEW), Gap(1), Is(INSTRUCTIONS), Gap(2), Is(MODEL)]),
    rule("new_instructions", Injection, Context, &[Is(YOURS), Gap(1), Is(NEW), Gap(1), Is(INSTRUCTIONS), Gap(1), Is(EXECUTE | OVERRIDE | FOLLOW)]),
    rule("new_instructions", Injection, Context, &[Is(OUTRANK), Gap(5), Is(PROMPT)]),
    rule("new_instructions", Injection, Context, &[Is(OUTRANK), Gap(3), Is(YOURS), Gap(2), Is(INSTRUCTIONS)]),
    rule("new_instructions", Injection, Context, &[Is(OUTRANK), Gap(3), Is(AUTHORITY), Gap(1), Is(INSTRUCTIONS)]),
    // Do not tell the user.
    rule("hide_from_user", Injection, Context, &[Is(NOT), Gap(3), Is(TELL), Gap(4), Is(USER)]),
    rule("hide_from_user", Injection, Context, &[Start, Gap(2), Is(TELL), Gap(2), Is(USER), Gap(2), Is(NOT)]),
    rule("hide_from_user", Injection, Context, &[Is(USER), Gap(3), Is(NOT_TELL)]),
    rule("hide_from_user", Injection, Context, &[Is(NOT_TELL), Gap(3), Is(USER)]),
    rule("hide_from_user", Injection, Context, &[Is(HIDE), Gap(5), Is(FROM_USER)]),
    rule("hide_from_user", Injection, Context, &[Is(FROM_USER), Gap(3), Is(HIDE)]),
    rule("hide_from_user", Injection, Context, &[Is(UNTOLD)]),
    rule("hide_from_user", Injection, Context, &[Is(QUIETLY), Gap(3), Is(FOLLOW)]),
    // You are now without rules.
    rule("role_hijack", Hijack, Context, &[Is(BE), Gap(4), Is(PERSONA)]),
    rule("role_hijack", Hijack, Context, &[Is(BE), Gap(1), Is(DAN)]),
    rule("role_hijack", Hijack, Context, &[Is(BE), Gap(8), Is(WITHOUT), Gap(3), Is(LIMIT)]),
    rule("role_hijack", Hijack, Context, &[Is(BE), Gap(6), Is(LIMIT), Gap(1), Is(VOID)]),
    rule("role_hijack", Hijack, Context, &[Is(BE), Gap(12), Is(NOT), Gap(1), Is(REFUSE)]),
    rule("role_hijack", Hijack, Context, &[Is(MODE), Gap(4)]),
    rule("role_hijack", Hijack, Context, &[Is(ENABLE), Gap(2), Is(USUAL_MODE), Far(8), Is(LIMIT | INSTRUCTIONS), Gap(3), Is(VOID | OVERRIDE)]),
    rule("role_hijack", Hijack, Context, &[Is(ENABLE), Gap(2), Is(USUAL_MODE), Far(4), Is(WITHOUT), Gap(3), Is(LIMIT)]),
    // Send the keys there.
    rule("send_secrets", Exfiltration, All, &[Is(SEND | STEAL), Gap(8), Is(SECRET), Gap(10), Is(DESTINATION)]),
    rule("send_secrets", Exfiltration, All, &[Is(SECRET), Gap(6), Is(SEND | STEAL), Gap(6), Is(DESTINATION)]),
    rule("send_secrets", Exfiltration, All, &[Is(SECRET), Gap(6), Is(DESTINATION), Gap(2), Is(SEND)]),
    rule("send_secrets", Exfiltration, Context, &[Start, Gap(1), Is(STEAL), Gap(4), Is(SECRET)]),
    rule("send_secrets", Exfiltration, Context, &[Start, Gap(1), Is(FETCH | REVEAL | WRITE), Gap(6), Is(SECRET), Gap(4), Is(STEAL)]),
    rule("send_conversation", Exfiltration, Context, &[Is(SEND), Gap(5), Is(PRIVATE), Gap(6), Is(DESTINATION)]),
    rule("send_conversation", Exfiltration, Context, &[Is(PRIVATE), Gap(4), Is(DESTINATION), Gap(2), Is(SEND)]),
    rule("secrets_in_links", Exfiltration, Context, &[Is(WRITE), Gap(4), Is(SECRET), Gap(8), Is(LINK)]),
    // Print your system prompt.
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(3), Is(PROMPT)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(3), Is(PROMPT), Gap(2), Is(YOURS)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(3), Is(PROMPT), Gap(4), Is(VERBATIM)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(EXPOSE), Gap(2), Is(PROMPT)]),
    rule("reveal_prompt", Exfiltration, Context, &[Start, Gap(1), Is(REVEAL), Gap(1), Is(PROMPT)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(PROMPT), Gap(3), Is(REVEAL | EXPOSE)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(2), Is(INITIAL | VERBATIM), Gap(1), Is(INSTRUCTIONS)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(1), Is(INSTRUCTIONS), Gap(4), Is(VERBATIM | INITIAL)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(REVEAL | EXPOSE), Gap(3), Is(INSTRUCTIONS), Gap(1), Is(INITIAL), Gap(2), Is(YOURS)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(INSTRUCTIONS), Gap(1), Is(INITIAL), Gap(2), Is(YOURS), Gap(5), Is(REVEAL)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(EXPOSE), Gap(1), Is(INITIAL), Gap(1), Is(INSTRUCTIONS), Gap(2), Is(YOURS)]),
    rule("reveal_prompt", Exfiltration, All, &[Is(VERBATIM), Gap(3), Is(REVEAL), Gap(2), Is(YOURS), Gap(2), Is(INSTRUCTIONS)]),
    rule("reveal_prompt", Exfiltration, Context, &[Start, Gap(1), Is(REVEAL), Gap(2), Is(ALL), Gap(2), Is(PRIOR)]),
    rule("reveal_prompt", Exfiltration, Context, &[Start, Gap(1), Is(REVEAL), Gap(4), Is(PRIVATE), Gap(1), Is(PRIOR)]),
    // Write it where it stays.
    rule("add_login_key", Persistence, Strict, &[Is(WRITE | SEND | FETCH), Gap(10), Is(KEY_FILE)]),
    rule("add_login_key", Persistence, Strict, &[Is(KEY_FILE), Gap(4), Is(WRITE)]),
    rule("change_agent_files", Persistence, Strict, &[Is(WRITE), Gap(9), Is(AGENT_FILE), Gap(8), Is(LASTING | FOLLOW | UNCHECKED)]),
    rule("change_agent_files", Persistence, Strict, &[Is(WRITE), Gap(4), Is(LASTING | FOLLOW | UNCHECKED), Gap(6), Is(AGENT_FILE)]),
    rule("change_agent_files", Persistence, Strict, &[Is(AGENT_FILE), Gap(4), Is(WRITE), Gap(4), Is(LASTING | FOLLOW | UNCHECKED)]),
    rule("run_at_startup", Persistence, Strict, &[Is(WRITE), Gap(6), Is(STARTUP), Gap(6), Is(EXECUTE | FETCH), Gap(3), Is(PAYLOAD)]),
    rule("run_at_startup", Persistence, Strict, &[Is(WRITE), Gap(6), Is(STARTUP), Gap(6), Is(PAYLOAD)]),
    rule("run_at_startup", Persistence, Strict, &[Is(EXECUTE), Gap(3), Is(PAYLOAD), Gap(3), Is(STARTUP)]),
    rule("lasting_instructions", Persistence, Strict, &[Is(WRITE), Gap(4), Is(RULES_OF), Gap(4), Is(MEMORY), Gap(6), Is(FOLLOW | LASTING | UNCHECKED)]),
    rule("lasting_instructions", Persistence, Strict, &[Is(LASTING), Gap(5), Is(EXECUTE | FOLLOW), Gap(2), Is(ORDERS), Gap(5), Is(DESTINATION | COMMANDER)]),
    rule("lasting_instructions", Persistence, Strict, &[Is(LASTING), Gap(3), Is(EXECUTE), Gap(1), Is(ORDERS), Gap(4)]),
    // Take orders from a server.
    rule("command_server", CommandAndControl, Context, &[Is(POLL), Gap(6), Is(COMMANDER), Far(4), Is(AWAIT | ORDERS | EXECUTE)]),
    rule("command_server", CommandAndControl, Context, &[Is(COMMANDER), Gap(6), Is(AWAIT), Gap(3), Is(ORDERS)]),
    rule("command_server", CommandAndControl, Context, &[Is(AWAIT), Gap(2), Is(ORDERS), Gap(3), Is(COMMANDER)]),
    rule("command_server", CommandAndControl, Context, &[Is(POLL), Gap(6), Is(COMMANDER), Gap(6), Is(OFTEN)]),
    rule("remote_orders", CommandAndControl, Context, &[Is(POLL | FETCH), Gap(6), Is(DESTINATION), Gap(10), Is(EXECUTE), Gap(2), Is(ORDERS)]),
    rule("remote_orders", CommandAndControl, Context, &[Is(POLL | FETCH), Gap(3), Is(ORDERS), Gap(4), Is(DESTINATION), Gap(4), Is(EXECUTE)]),
    rule("remote_orders", CommandAndControl, Context, &[Is(POLL | SEND), Gap(6), Is(DESTINATION), Gap(4), Is(EXECUTE), Gap(3), Is(ORDERS)]),
    rule("remote_orders", CommandAndControl, Context, &[Is(OFTEN), Gap(6), Is(POLL | FETCH), Gap(8), Is(EXECUTE)]),
    rule("remote_orders", CommandAndControl, Context, &[Is(FOLLOW), Gap(2), Is(RULES_OF), Gap(5), Is(DESTINATION), Gap(1)]),
    rule("download_and_run", CommandAndControl, Strict, &[Is(FETCH), Gap(5), Is(NUMERIC), Gap(4), Is(EXECUTE)]),
    rule("download_and_run", CommandAndControl, Strict, &[Is(FETCH), Gap(2), Is(EXECUTE), Gap(5), Is(NUMERIC)]),
    rule("reverse_shell", CommandAndControl, Context, &[Start, Gap(3), Is(POLL | FETCH | ENABLE | WRITE), Gap(3), Is(SHELL), Gap(4), Is(DESTINATION)]),
    rule("reverse_shell", CommandAndControl, Context, &[Is(SHELL), Gap(2), Is(DESTINATION)]),
];

/// The rules of all scopes, in one automaton.
struct Matcher {
    set: RegexSet,
    /// Each alone, to find where it matches; made when it does.
    alone: Vec<(String, OnceLock<Regex>)>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let forms: Vec<_> = RULES.iter().map(|rule| form(lexicon(), rule.form)).collect();
    let set = RegexSetBuilder::new(&forms).unicode(false).build().expect("the rules are few and bounded");
    Matcher { set, alone: forms.into_iter().map(|form| (form, OnceLock::new())).collect() }
});

/// A rule that matches: its name and family, and which signs.
pub(super) struct Match {
    pub(super) name: &'static str,
    pub(super) family: Family,
    pub(super) at: Range<usize>,
}

/// What the rules of a scope find in the signs of a text.
pub(super) fn find(signs: &[u8], scope: Scope) -> Vec<Match> {
    let matcher = &*MATCHER;
    let mut found = Vec::new();
    for number in &matcher.set.matches(signs) {
        let rule = &RULES[number];
        if rule.scope > scope {
            continue;
        }
        let (form, alone) = &matcher.alone[number];
        let alone = alone.get_or_init(|| regex(form));
        let matches = alone.find_iter(signs).map(|at| Match { name: rule.name, family: rule.family, at: at.range() });
        found.extend(matches);
    }
    found
}

fn regex(form: &str) -> Regex {
    RegexBuilder::new(form).unicode(false).build().expect("it was part of a set that was built")
}

fn form(lexicon: &Lexicon, parts: &[Part]) -> String {
    let mut form = String::from("(?s-u)");
    for part in parts {
        match part {
            Is(concepts) => {
                form.push('[');
                for sign in lexicon.signs_of(*concepts) {
                    let _ = write!(form, "\\x{sign:02X}");
                }
                form.push(']');
            }
            Gap(words) => {
                let _ = write!(form, "[^\\x{STOP:02X}]{{0,{words}}}?");
            }
            Far(words) => {
                let _ = write!(form, ".{{0,{words}}}?");
            }
            Start => {
                let _ = write!(form, "(?:^|\\x{STOP:02X})");
            }
        }
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_words() {
        for rule in RULES {
            let form = form(lexicon(), rule.form);
            assert!(!form.contains("[]"), "`{}` has a concept without words: {form}", rule.name);
        }
    }
}
