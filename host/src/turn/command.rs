//! `/memory …`: what a person in a chat can see of the memory files, and decide about what waits.

use hermes_provider_api::records::{Caller, ChatKind, Scope};

use super::{Approved, Memory};
use crate::error::Failure;
use crate::layers::curated::{Curated, Proposal, Proposed, Target, entries_in_words, preview};

/// How it begins.
const COMMAND: &str = "/memory";

const HELP: &str = "\
/memory show [memory|user]      what the files hold
/memory pending                 what waits for you
/memory diff <id>               one proposal whole
/memory approve <id|all>        write it; with --rebase also where its entry has changed
/memory reject <id|all>         drop it
/memory edit <id> <text>        give it another wording
/memory approval [on|off]       whether the agent's writes wait for you";

impl Memory {
    /// Does what a person typed in a chat if it is `/memory …`, and answers the text to show them; None where it is
    /// something else. It must not be asked for what a model says. `caller` is the person: where others read along, what
    /// is not for them is not shown, and nothing is decided.
    #[must_use]
    pub fn memory_command(&self, text: &str, caller: &Caller) -> Option<Result<String, Failure>> {
        let rest = text.trim().strip_prefix(COMMAND)?;
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let (verb, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        Some(self.obey(verb, rest.trim(), caller))
    }

    fn obey(&self, verb: &str, rest: &str, caller: &Caller) -> Result<String, Failure> {
        let curated = self.must_have_curated()?;
        let audience = &caller.scope;
        match (verb, rest) {
            ("" | "help", _) => Ok(HELP.to_owned()),
            ("show", file) => show(curated, file, audience),
            ("pending", "") => Ok(pending(curated, audience)),
            ("diff", id) if !id.is_empty() => diff(curated, &seen(curated, id, audience)?),
            ("approval", "") => Ok(approval(curated.approval())),
            ("approve" | "reject" | "edit" | "approval", _) if audience.chat_kind != ChatKind::Private => {
                let failure = Failure::new("nothing is decided where others read along");
                Err(failure.hint("send it in a private conversation, or use `hermes memory`"))
            }
            ("approval", switch @ ("on" | "off")) => {
                curated.set_approval(switch == "on")?;
                Ok(approval(curated.approval()))
            }
            ("approve", what) if !what.is_empty() => self.approve_each(what),
            ("reject", id) if !id.is_empty() => {
                let dropped = chosen(curated, id)?.into_iter().map(|id| {
                    let dropped = curated.drop_proposal(&id)?;
                    Ok(format!("dropped {}: {}", dropped.id, dropped.preview()))
                });
                Ok(dropped.collect::<Result<Vec<_>, Failure>>()?.join("\n"))
            }
            ("edit", rest) => match rest.split_once(char::is_whitespace) {
                Some((id, text)) => diff(curated, &curated.reword(id, text)?),
                None => Err(wrong("`edit` needs the id of a proposal and the new text")),
            },
            (verb @ ("diff" | "approve" | "reject"), _) => {
                Err(wrong(&format!("`{verb}` needs the id of a proposal: `/memory pending` shows them")))
            }
            ("approval", _) => Err(wrong("`approval` is `on` or `off`")),
            ("pending", _) => Err(wrong("`pending` takes nothing")),
            (other, _) => Err(wrong(&format!("there is no `/memory {}`", other.escape_debug()))),
        }
    }

    /// One that cannot be written does not keep the others from it.
    fn approve_each(&self, what: &str) -> Result<String, Failure> {
        let words: Vec<&str> = what.split_whitespace().collect();
        let (flags, ids): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.starts_with('-'));
        let [id] = *ids else { return Err(wrong("`approve` needs one id, or `all`")) };
        let rebase = match *flags {
            [] => false,
            ["--rebase"] => true,
            _ => return Err(wrong("`approve` knows only `--rebase`")),
        };
        let (mut lines, mut failed) = (Vec::new(), false);
        for id in chosen(self.must_have_curated()?, id)? {
            lines.push(match self.approve(&id, rebase) {
                Ok(Approved::File(outcome)) if outcome.changes.is_empty() => format!("{id}: it was so already"),
                Ok(Approved::File(outcome)) => {
                    format!("{} ({}): {}", outcome.target.file_name(), outcome.usage, preview(&outcome.changes))
                }
                Ok(Approved::Tool(_)) => format!("{id} is done"),
                Err(Failure { message, hints, .. }) => {
                    failed = true;
                    let hints = hints.iter().map(|hint| format!("\nhint: {hint}")).collect::<String>();
                    format!("{id} goes on waiting: {message}{hints}")
                }
            });
        }
        let text = if lines.is_empty() { "nothing waits for your approval".to_owned() } else { lines.join("\n") };
        if failed { Err(Failure::new(text)) } else { Ok(text) }
    }
}

fn wrong(what: &str) -> Failure {
    Failure::usage(what).hint("`/memory help` shows what there is")
}

fn show(curated: &Curated, file: &str, audience: &Scope) -> Result<String, Failure> {
    let targets = match file {
        "" => Target::ALL.to_vec(),
        word => match Target::ALL.into_iter().find(|target| target.word() == word || target.file_name() == word) {
            Some(target) => vec![target],
            None => return Err(wrong("`show` knows `memory` and `user`")),
        },
    };
    let mut lines = Vec::new();
    for target in targets {
        let name = target.file_name();
        if !curated.settings().is_for(target, audience) {
            lines.push(format!("{name} is not shown where others read along"));
            continue;
        }
        let listing = curated.list(target)?;
        let off = if listing.on { "" } else { " · off" };
        lines.push(format!("{name} · {} · {}{off}", entries_in_words(listing.entries.len()), listing.usage));
        lines.extend(listing.entries.iter().map(|entry| format!("{}. {}", entry.number, entry.text)));
        lines.extend(listing.remark);
    }
    Ok(lines.join("\n"))
}

fn pending(curated: &Curated, audience: &Scope) -> String {
    let now = curated.now();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        curated.proposals().into_iter().partition(|proposal| is_for(curated, proposal, audience));
    let mut lines: Vec<String> = shown.iter().map(|proposal| proposal.line(now)).collect();
    if !hidden.is_empty() {
        lines.push(format!("{} more, not shown where others read along", hidden.len()));
    }
    if lines.is_empty() { "nothing waits for your approval".to_owned() } else { lines.join("\n") }
}

/// What a provider keeps may be of anybody.
fn is_for(curated: &Curated, proposal: &Proposal, audience: &Scope) -> bool {
    match proposal.what {
        Proposed::File { target, .. } => curated.settings().is_for(target, audience),
        Proposed::Tool { .. } => audience.chat_kind == ChatKind::Private,
    }
}

/// A proposal that this audience may see.
fn seen(curated: &Curated, id: &str, audience: &Scope) -> Result<Proposal, Failure> {
    let proposal = curated.proposal(id)?;
    if is_for(curated, &proposal, audience) {
        return Ok(proposal);
    }
    Err(Failure::new(format!("`{}` is not shown where others read along", proposal.id)))
}

fn diff(curated: &Curated, proposal: &Proposal) -> Result<String, Failure> {
    let mut lines = proposal.lines();
    if let Proposed::File { target, .. } = proposal.what
        && proposal.has_moved(&curated.list(target)?.entries)
    {
        lines.push(format!(
            "{} has changed since: an entry that this replaces is not there any more; `/memory approve {} --rebase` looks \
             for it anew",
            target.file_name(),
            proposal.id
        ));
    }
    Ok(lines.join("\n"))
}

fn approval(on: bool) -> String {
    match on {
        true => "every write of the agent waits for you: `/memory pending`",
        false => {
            "the agent writes in a conversation without asking; what it replaces or removes unattended waits for you"
        }
    }
    .to_owned()
}

/// The ids that one names.
fn chosen(curated: &Curated, id: &str) -> Result<Vec<String>, Failure> {
    match id {
        "all" => Ok(curated.proposals().into_iter().map(|proposal| proposal.id).collect()),
        id => Ok(vec![curated.proposal(id)?.id]),
    }
}
