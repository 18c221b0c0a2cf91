//! The rules over concepts: a verb, its object and what says which, with gaps of a few words between them, written once
//! for all languages.
//!
//! They are matched on the [signs](super::words) of a text, all at once and in one pass. A set of bounded regular
//! expressions over the signs finds the same; it was tried, and so many open gaps made it a hundred times slower.

use std::ops::Range;
use std::sync::LazyLock;

use super::concepts::*;
use super::words::{STOP, lexicon};
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

/// A rule: what it finds, the least strict scope that it is for, and the forms that it takes.
struct Rule {
    name: &'static str,
    family: Family,
    scope: Scope,
    forms: &'static [&'static [Part]],
}

/// What says that instructions are those that the model has.
const WHOSE: Concepts = ALL | PRIOR | YOURS | AUTHORITY;
const RULES_OF: Concepts = INSTRUCTIONS | INSTRUCTION;

static RULES: &[Rule] = &[
    // Ignore all previous instructions.
    Rule {
        name: "ignore_instructions",
        family: Injection,
        scope: All,
        forms: &[
            &[Is(OVERRIDE), Gap(6), Is(WHOSE), Gap(4), Is(INSTRUCTIONS)],
            &[Is(OVERRIDE), Gap(5), Is(ALL | PRIOR | YOURS), Gap(2), Is(RULES_OF)],
            &[Is(OVERRIDE), Gap(3), Is(INSTRUCTIONS), Gap(4), Is(PRIOR | YOURS | AUTHORITY)],
            &[Is(OVERRIDE), Gap(4), Is(PROMPT)],
            &[Is(INSTRUCTIONS), Gap(3), Is(WHOSE), Gap(5), Is(OVERRIDE_AFTER)],
            &[Is(WHOSE), Gap(3), Is(INSTRUCTIONS), Gap(4), Is(OVERRIDE_AFTER)],
            &[Is(PROMPT), Gap(3), Is(OVERRIDE_AFTER)],
            &[Is(NOT), Gap(2), Is(FOLLOW), Gap(4), Is(WHOSE), Gap(3), Is(INSTRUCTIONS)],
            &[Start, Gap(2), Is(FOLLOW), Gap(3), Is(PRIOR | YOURS), Gap(2), Is(INSTRUCTIONS), Gap(6), Is(NOT)],
            &[Is(OVERRIDE), Gap(2), Is(YOURS), Gap(1), Is(AUTHORITY), Gap(1), Is(LIMIT)],
        ],
    },
    Rule {
        name: "forget_what_was_said",
        family: Injection,
        scope: Context,
        forms: &[
            &[Is(OVERRIDE), Gap(2), Is(ALL), Gap(4), Is(TOLD)],
            &[Start, Gap(2), Is(OVERRIDE), Gap(1), Is(ALL), Gap(1), Is(PRIOR)],
            &[Is(OVERRIDE), Gap(3), Is(TOLD), Gap(2), Is(PRIOR)],
            &[Is(OVERRIDE), Gap(3), Is(PRIOR), Gap(2), Is(TOLD)],
        ],
    },
    Rule { name: "disobey", family: Injection, scope: Context, forms: &[&[Is(DISOBEY), Gap(2), Is(AUTHORITY)]] },
    // Your rules no longer apply.
    Rule {
        name: "instructions_void",
        family: Injection,
        scope: All,
        forms: &[
            &[Is(YOURS), Gap(3), Is(RULES_OF), Gap(6), Is(VOID)],
            &[Is(INSTRUCTIONS), Gap(2), Is(YOURS), Gap(6), Is(VOID)],
            &[Is(PRIOR), Gap(2), Is(INSTRUCTIONS), Gap(5), Is(VOID), Far(3), Is(FOLLOW)],
            &[Is(PRIOR), Gap(2), Is(INSTRUCTIONS), Gap(5), Is(VOID), Far(3), Is(NEW), Gap(1), Is(INSTRUCTIONS)],
            &[Is(INSTRUCTIONS | LIMIT), Gap(4), Is(YOURS), Gap(6), Is(VOID)],
            &[Is(APPLY), Gap(2), Is(YOURS), Gap(2), Is(INSTRUCTIONS), Gap(2), Is(NOT)],
            &[Is(YOURS), Gap(2), Is(INSTRUCTIONS), Gap(4), Is(NOT), Gap(2), Is(APPLY)],
        ],
    },
    Rule {
        name: "instructions_void",
        family: Injection,
        scope: Context,
        forms: &[&[Is(AUTHORITY), Gap(1), Is(INSTRUCTIONS), Gap(3), Is(VOID)]],
    },
    // Follow these instead.
    Rule {
        name: "new_instructions",
        family: Injection,
        scope: Context,
        forms: &[
            &[Is(NEW), Gap(1), Is(INSTRUCTIONS), Gap(2), Is(MODEL)],
            &[Is(YOURS), Gap(1), Is(NEW), Gap(1), Is(INSTRUCTIONS), Gap(1), Is(EXECUTE | OVERRIDE | FOLLOW)],
            &[Is(OUTRANK), Gap(5), Is(PROMPT)],
            &[Is(OUTRANK), Gap(3), Is(YOURS), Gap(2), Is(INSTRUCTIONS)],
            &[Is(OUTRANK), Gap(3), Is(AUTHORITY), Gap(1), Is(INSTRUCTIONS)],
        ],
    },
    // Do not tell the user.
    Rule {
        name: "hide_from_user",
        family: Injection,
        scope: Context,
        forms: &[
            &[Is(NOT), Gap(3), Is(TELL), Gap(4), Is(USER)],
            &[Start, Gap(2), Is(TELL), Gap(2), Is(USER), Gap(2), Is(NOT)],
            &[Is(USER), Gap(3), Is(NOT_TELL)],
            &[Is(NOT_TELL), Gap(3), Is(USER)],
            &[Is(HIDE), Gap(5), Is(FROM_USER)],
            &[Is(FROM_USER), Gap(3), Is(HIDE)],
            &[Is(UNTOLD)],
            &[Is(QUIETLY), Gap(3), Is(FOLLOW)],
        ],
    },
    // You are now without rules.
    Rule {
        name: "role_hijack",
        family: Hijack,
        scope: Context,
        forms: &[
            &[Is(BE), Gap(6), Is(PERSONA)],
            &[Is(BE), Gap(1), Is(DAN)],
            &[Is(BE), Gap(8), Is(WITHOUT), Gap(3), Is(LIMIT)],
            &[Is(UNBOUND), Gap(3), Is(LIMIT)],
            &[Is(BE), Gap(6), Is(LIMIT), Gap(1), Is(VOID)],
            &[Is(BE), Gap(12), Is(NOT), Gap(1), Is(REFUSE)],
            &[Is(MODE)],
            &[Is(ENABLE), Gap(2), Is(USUAL_MODE), Far(8), Is(LIMIT | INSTRUCTIONS), Gap(3), Is(VOID | OVERRIDE)],
            &[Is(ENABLE), Gap(2), Is(USUAL_MODE), Far(4), Is(WITHOUT), Gap(3), Is(LIMIT)],
        ],
    },
    // Send the keys there.
    Rule {
        name: "send_secrets",
        family: Exfiltration,
        scope: All,
        forms: &[
            &[Is(SEND | STEAL), Gap(8), Is(SECRET), Gap(10), Is(DESTINATION)],
            &[Is(SECRET), Gap(6), Is(SEND | STEAL), Gap(6), Is(DESTINATION)],
            &[Is(SECRET), Gap(6), Is(DESTINATION), Gap(2), Is(SEND)],
        ],
    },
    Rule {
        name: "send_secrets",
        family: Exfiltration,
        scope: Context,
        forms: &[
            &[Start, Gap(1), Is(STEAL), Gap(4), Is(SECRET)],
            &[Start, Gap(1), Is(FETCH | REVEAL | WRITE), Gap(6), Is(SECRET), Gap(4), Is(STEAL)],
        ],
    },
    Rule {
        name: "send_conversation",
        family: Exfiltration,
        scope: Context,
        forms: &[
            &[Is(SEND), Gap(5), Is(PRIVATE), Gap(6), Is(DESTINATION)],
            &[Is(PRIVATE), Gap(4), Is(DESTINATION), Gap(2), Is(SEND)],
        ],
    },
    Rule {
        name: "reveal_secrets",
        family: Exfiltration,
        scope: Context,
        forms: &[&[Start, Gap(1), Is(REVEAL | EXPOSE), Gap(3), Is(SECRET), Gap(2), Is(YOURS)]],
    },
    Rule {
        name: "secrets_in_links",
        family: Exfiltration,
        scope: Context,
        forms: &[&[Is(WRITE), Gap(4), Is(SECRET), Gap(8), Is(LINK)]],
    },
    // Print your system prompt.
    Rule {
        name: "reveal_prompt",
        family: Exfiltration,
        scope: All,
        forms: &[
            &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(3), Is(PROMPT)],
            &[Is(REVEAL | EXPOSE), Gap(3), Is(PROMPT), Gap(2), Is(YOURS)],
            &[Is(REVEAL | EXPOSE), Gap(3), Is(PROMPT), Gap(4), Is(VERBATIM)],
            &[Is(EXPOSE), Gap(2), Is(PROMPT)],
            &[Is(PROMPT), Gap(3), Is(REVEAL | EXPOSE)],
            &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(2), Is(INITIAL | VERBATIM), Gap(1), Is(INSTRUCTIONS)],
            &[Is(REVEAL | EXPOSE), Gap(4), Is(YOURS), Gap(1), Is(INSTRUCTIONS), Gap(4), Is(VERBATIM | INITIAL)],
            &[Is(REVEAL | EXPOSE), Gap(3), Is(INSTRUCTIONS), Gap(1), Is(INITIAL), Gap(2), Is(YOURS)],
            &[Is(INSTRUCTIONS), Gap(1), Is(INITIAL), Gap(2), Is(YOURS), Gap(5), Is(REVEAL)],
            &[Is(EXPOSE), Gap(1), Is(INITIAL), Gap(1), Is(INSTRUCTIONS), Gap(2), Is(YOURS)],
            &[Is(VERBATIM), Gap(3), Is(REVEAL), Gap(2), Is(YOURS), Gap(2), Is(INSTRUCTIONS)],
            &[Is(REVEAL | EXPOSE), Gap(3), Is(VERBATIM), Gap(4), Is(INSTRUCTION), Gap(3), Is(AUTHORITY)],
        ],
    },
    Rule {
        name: "reveal_prompt",
        family: Exfiltration,
        scope: Context,
        forms: &[
            &[Start, Gap(1), Is(REVEAL), Gap(1), Is(PROMPT)],
            &[Start, Gap(1), Is(REVEAL), Gap(4), Is(PRIVATE), Gap(1), Is(PRIOR)],
        ],
    },
    // Write it where it stays.
    Rule {
        name: "add_login_key",
        family: Persistence,
        scope: Strict,
        forms: &[&[Is(WRITE | SEND | FETCH), Gap(10), Is(KEY_FILE)], &[Is(KEY_FILE), Gap(4), Is(WRITE)]],
    },
    Rule {
        name: "change_agent_files",
        family: Persistence,
        scope: Strict,
        forms: &[
            &[Is(WRITE), Gap(9), Is(AGENT_FILE), Gap(8), Is(LASTING | FOLLOW | UNCHECKED)],
            &[Is(WRITE), Gap(4), Is(LASTING | FOLLOW | UNCHECKED), Gap(6), Is(AGENT_FILE)],
            &[Is(AGENT_FILE), Gap(4), Is(WRITE), Gap(4), Is(LASTING | FOLLOW | UNCHECKED)],
        ],
    },
    Rule {
        name: "run_at_startup",
        family: Persistence,
        scope: Strict,
        forms: &[
            &[Is(WRITE), Gap(6), Is(STARTUP), Gap(6), Is(EXECUTE | FETCH), Gap(3), Is(PAYLOAD)],
            &[Is(WRITE), Gap(6), Is(STARTUP), Gap(6), Is(PAYLOAD)],
            &[Is(EXECUTE), Gap(3), Is(PAYLOAD), Gap(3), Is(STARTUP)],
        ],
    },
    Rule {
        name: "lasting_instructions",
        family: Persistence,
        scope: Strict,
        forms: &[
            &[Is(WRITE), Gap(4), Is(RULES_OF), Gap(4), Is(MEMORY), Gap(6), Is(FOLLOW | LASTING | UNCHECKED)],
            &[Is(LASTING), Gap(5), Is(EXECUTE | FOLLOW), Gap(2), Is(ORDERS), Gap(5), Is(DESTINATION | COMMANDER)],
            &[Is(LASTING), Gap(3), Is(EXECUTE), Gap(1), Is(ORDERS)],
        ],
    },
    // Take orders from a server.
    Rule {
        name: "command_server",
        family: CommandAndControl,
        scope: Context,
        forms: &[
            &[Is(POLL), Gap(6), Is(COMMANDER), Far(4), Is(AWAIT | ORDERS | EXECUTE)],
            &[Is(COMMANDER), Gap(6), Is(AWAIT), Gap(3), Is(ORDERS)],
            &[Is(AWAIT), Gap(2), Is(ORDERS), Gap(3), Is(COMMANDER)],
            &[Is(POLL), Gap(6), Is(COMMANDER), Gap(6), Is(OFTEN)],
        ],
    },
    Rule {
        name: "remote_orders",
        family: CommandAndControl,
        scope: Context,
        forms: &[
            &[Is(POLL | FETCH), Gap(6), Is(DESTINATION), Gap(10), Is(EXECUTE), Gap(2), Is(ORDERS)],
            &[Is(POLL | FETCH), Gap(3), Is(ORDERS), Gap(4), Is(DESTINATION), Gap(4), Is(EXECUTE)],
            &[Is(POLL | SEND), Gap(6), Is(DESTINATION), Gap(4), Is(EXECUTE), Gap(3), Is(ORDERS)],
            &[Is(OFTEN), Gap(6), Is(POLL | FETCH), Gap(5), Is(DESTINATION | COMMANDER | ORDERS), Gap(6), Is(EXECUTE)],
            &[Is(OFTEN), Gap(4), Is(DESTINATION), Gap(4), Is(ORDERS), Gap(4), Is(EXECUTE)],
            &[Is(POLL | FETCH), Gap(6), Is(DESTINATION), Gap(3), Is(ORDERS), Gap(3), Is(EXECUTE)],
            &[Is(FOLLOW), Gap(2), Is(RULES_OF), Gap(5), Is(DESTINATION)],
        ],
    },
    Rule {
        name: "download_and_run",
        family: CommandAndControl,
        scope: Strict,
        forms: &[
            &[Is(FETCH), Gap(5), Is(NUMERIC), Gap(4), Is(EXECUTE)],
            &[Is(FETCH), Gap(2), Is(EXECUTE), Gap(5), Is(NUMERIC)],
        ],
    },
    Rule {
        name: "reverse_shell",
        family: CommandAndControl,
        scope: Context,
        forms: &[
            &[Start, Gap(3), Is(POLL | FETCH | ENABLE | WRITE), Gap(3), Is(SHELL), Gap(4), Is(DESTINATION)],
            &[Is(SHELL), Gap(2), Is(DESTINATION)],
        ],
    },
];

/// One word of a rule: which, and how it follows the one before it.
struct Step {
    concepts: Concepts,
    /// The most words between it and the one before, or the beginning of the sentence.
    gap: usize,
    /// Where the one before must be.
    after: After,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Anything,
    SentenceStart,
    SameSentence,
    Far,
}

/// The rules in the form in which they are matched.
struct Matcher {
    /// The words of all rules, rule after rule.
    steps: Vec<Step>,
    /// For each of them its rule, if it is the last of it.
    ends: Vec<Option<&'static Rule>>,
    /// For each sign the words of rules that it can be, the last of a rule first.
    of_sign: Vec<Vec<usize>>,
    /// The words of each form of a rule.
    forms: Vec<Range<usize>>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let (mut steps, mut ends, mut forms) = (Vec::new(), Vec::new(), Vec::new());
    for (rule, form) in RULES.iter().flat_map(|rule| rule.forms.iter().map(move |form| (rule, form))) {
        let (mut gap, mut after) = (0, After::Anything);
        let first = steps.len();
        for part in *form {
            match part {
                Start => after = After::SentenceStart,
                Gap(words) => gap = usize::from(*words),
                Far(words) => (gap, after) = (usize::from(*words), After::Far),
                Is(concepts) => {
                    steps.push(Step { concepts: *concepts, gap, after });
                    ends.push(None);
                    (gap, after) = (0, After::SameSentence);
                }
            }
        }
        *ends.last_mut().expect("a rule has a word") = Some(rule);
        forms.push(first..steps.len());
    }
    let of_sign = lexicon()
        .concepts()
        .iter()
        .map(|concepts| (0..steps.len()).rev().filter(|step| steps[*step].concepts & concepts != 0).collect());
    Matcher { of_sign: of_sign.collect(), steps, ends, forms }
});

/// A rule that matches: its name and family, and where.
pub(super) struct Match {
    pub(super) name: &'static str,
    pub(super) family: Family,
    pub(super) at: Range<usize>,
}

/// Where a rule is up to one of its words: the last place that it was reached at, and where that began. A later place
/// reaches all that an earlier one does, so one is enough, and no text takes longer than its length.
#[derive(Clone, Copy)]
struct Reached {
    at: usize,
    from: usize,
}

impl Matcher {
    /// For each word of the rules whether a rule of the scope can match with it, given all concepts that a text has. None
    /// when there is no rule that can: in hardly any text is there a word for each part of one.
    fn possible(&self, concepts: Concepts, scope: Scope) -> Option<Vec<bool>> {
        let mut possible = Vec::new();
        for form in &self.forms {
            let is_wanted = self.ends[form.end - 1].is_some_and(|rule| rule.scope <= scope);
            if is_wanted && self.steps[form.clone()].iter().all(|step| step.concepts & concepts != 0) {
                possible.resize(self.steps.len(), false);
                possible[form.clone()].fill(true);
            }
        }
        (!possible.is_empty()).then_some(possible)
    }
}

/// What the rules of a scope find in the signs of a text.
pub(super) fn find(signs: &[u8], scope: Scope) -> Vec<Match> {
    let mut found = Vec::new();
    let mut there = [false; 256];
    signs.iter().for_each(|sign| there[usize::from(*sign)] = true);
    let of_signs = lexicon().concepts().iter().zip(there);
    let concepts = of_signs.fold(0, |all, (concepts, there)| if there { all | concepts } else { all });
    if concepts == 0 {
        return found;
    }
    let matcher = &*MATCHER;
    let Some(possible) = matcher.possible(concepts, scope) else { return found };
    let mut reached: Vec<Option<Reached>> = vec![None; matcher.steps.len()];
    // Where the sentence begins.
    let mut sentence = 0;
    for (at, sign) in signs.iter().enumerate() {
        if *sign == STOP {
            sentence = at + 1;
            continue;
        }
        for &number in &matcher.of_sign[usize::from(*sign)] {
            if !possible[number] {
                continue;
            }
            let step = &matcher.steps[number];
            let before = || number.checked_sub(1).and_then(|before| reached[before]);
            let is_near = |before: &Reached| before.at < at && at - before.at <= step.gap + 1;
            let from = match step.after {
                After::Anything => Some(at),
                After::SentenceStart => (at - sentence <= step.gap).then_some(at),
                After::SameSentence => {
                    before().filter(|before| is_near(before) && before.at >= sentence).map(|before| before.from)
                }
                After::Far => before().filter(is_near).map(|before| before.from),
            };
            let Some(from) = from else { continue };
            match matcher.ends[number] {
                Some(rule) => found.push(Match { name: rule.name, family: rule.family, at: from..at + 1 }),
                None => reached[number] = Some(Reached { at, from }),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_rule_is_in_a_list() {
        let matcher = &*MATCHER;
        for (number, step) in matcher.steps.iter().enumerate() {
            let signs = matcher.of_sign.iter().filter(|steps| steps.contains(&number)).count();
            assert!(signs > 0, "no list has a word of {:#x}", step.concepts);
        }
    }
}
