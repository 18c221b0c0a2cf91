//! What words mean to the rules: each concept is a bit, a word may have several.
//!
//! The word lists of a language map its words to these, so that a rule is written once for all languages.

/// A set of concepts.
pub(super) type Concepts = u64;

macro_rules! concepts {
    ($($(#[doc = $doc:literal])+ $name:ident = $bit:literal;)+) => {
        $($(#[doc = $doc])+ pub(super) const $name: Concepts = 1 << $bit;)+
    };
}

concepts! {
    /// To ignore, to forget, not to follow.
    OVERRIDE = 0;
    /// The same, in the forms that stand behind what is ignored.
    OVERRIDE_AFTER = 1;
    /// No, never.
    NOT = 2;
    /// To follow, to obey.
    FOLLOW = 3;
    /// Earlier, above, given before.
    PRIOR = 4;
    /// All, any, whatever.
    ALL = 5;
    /// Instructions, rules.
    INSTRUCTIONS = 6;
    /// One instruction: too usual a word without one that says which.
    INSTRUCTION = 7;
    /// Yours, given to you.
    YOURS = 8;
    /// The system, the developer, safety.
    AUTHORITY = 9;
    /// The system prompt.
    PROMPT = 10;
    /// Cancelled, no longer valid, removed.
    VOID = 11;
    /// New, the following.
    NEW = 12;
    /// What was told to the model.
    TOLD = 13;
    /// To tell, to mention.
    TELL = 14;
    /// Do not tell, in one word.
    NOT_TELL = 15;
    /// The user.
    USER = 16;
    /// From the user, as something is hidden.
    FROM_USER = 17;
    /// To hide, to keep secret.
    HIDE = 18;
    /// Without the user's knowledge.
    UNTOLD = 19;
    /// Quietly.
    QUIETLY = 20;
    /// The model, as an attacker addresses it.
    MODEL = 21;
    /// You are now, act as.
    BE = 22;
    /// What nobody should be: unrestricted, a hacker.
    PERSONA = 23;
    /// A name that is a usual one too.
    DAN = 24;
    /// A mode without limits.
    MODE = 25;
    /// A mode that devices have too.
    USUAL_MODE = 26;
    /// To enable, to enter.
    ENABLE = 27;
    /// Without, no.
    WITHOUT = 28;
    /// Limits, filters, morals.
    LIMIT = 29;
    /// To refuse.
    REFUSE = 30;
    /// To send, to upload.
    SEND = 31;
    /// To exfiltrate, to steal.
    STEAL = 32;
    /// Passwords, keys, files with them.
    SECRET = 33;
    /// The conversation, the contents of files.
    PRIVATE = 34;
    /// An address that something is sent to.
    DESTINATION = 35;
    /// An address in numbers.
    NUMERIC = 36;
    /// A link or picture that is shown.
    LINK = 37;
    /// To show, to print.
    REVEAL = 38;
    /// To lay open.
    EXPOSE = 39;
    /// Word for word, in full.
    VERBATIM = 40;
    /// Initial, hidden.
    INITIAL = 41;
    /// To write, to add.
    WRITE = 42;
    /// A file that agents read as instructions.
    AGENT_FILE = 43;
    /// The file of keys that may log in.
    KEY_FILE = 44;
    /// What runs at each login or boot.
    STARTUP = 45;
    /// Always, in every later session.
    LASTING = 46;
    /// To poll, to connect, to report to.
    POLL = 47;
    /// Every hour, on each turn.
    OFTEN = 48;
    /// To run, to execute.
    EXECUTE = 49;
    /// Commands, tasks, what is returned.
    ORDERS = 50;
    /// A server that commands.
    COMMANDER = 51;
    /// To download.
    FETCH = 52;
    /// To wait for.
    AWAIT = 53;
    /// The memory.
    MEMORY = 54;
    /// To take precedence.
    OUTRANK = 55;
    /// Without asking, to approve, to skip reviews.
    UNCHECKED = 56;
    /// A payload, a downloaded program.
    PAYLOAD = 57;
    /// A connection that gives a shell.
    SHELL = 58;
    /// To apply, as a rule does.
    APPLY = 59;
    /// Not to obey somebody.
    DISOBEY = 60;
    /// You have no, you are no longer bound by.
    UNBOUND = 61;
}
