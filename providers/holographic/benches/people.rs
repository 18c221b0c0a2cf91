//! Facts as people tell them to an assistant, as many as are wanted, and questions about them.

const NAMES: [&str; 24] = [
    "Ada", "Bo", "Cleo", "Dana", "Eli", "Faye", "Gus", "Hedda", "Ines", "Jorge", "Kim", "Lotte", "Milo", "Nora",
    "Otto", "Pia", "Quirin", "Rahel", "Sven", "Tilda", "Uwe", "Vida", "Wanda", "Yann",
];
const FAMILIES: [&str; 20] = [
    "Abel", "Berg", "Castro", "Dahl", "Engel", "Ferro", "Grau", "Holm", "Iversen", "Jung", "Krol", "Lund", "Marek",
    "Nagy", "Orban", "Palm", "Reyes", "Sato", "Toth", "Wolff",
];
const PLACES: [&str; 12] =
    ["Aarhus", "Bergen", "Cork", "Dresden", "Espoo", "Ghent", "Graz", "Lyon", "Malmö", "Porto", "Tartu", "Turin"];
const THINGS: [&str; 14] = [
    "backup",
    "billing",
    "cache",
    "calendar",
    "firewall",
    "gateway",
    "importer",
    "ledger",
    "mailer",
    "parser",
    "queue",
    "scheduler",
    "search",
    "translator",
];
const TOOLS: [&str; 10] = ["bash", "cargo", "clang", "gdb", "make", "meson", "ninja", "podman", "rsync", "sqlite"];

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        // The constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[usize::try_from(self.0 >> 33).unwrap_or_default() % words.len()]
    }
}

/// A person of whom ten facts are known.
pub(crate) fn person(at: usize) -> String {
    let (name, family) = (NAMES[at % NAMES.len()], FAMILIES[at / NAMES.len() % FAMILIES.len()]);
    match at / (NAMES.len() * FAMILIES.len()) {
        0 => format!("{name} {family}"),
        more => format!("{name} {family} {}", NAMES[more % NAMES.len()]),
    }
}

/// A fact of the length that people write, each another.
pub(crate) fn fact(at: usize) -> String {
    let (who, mut chance) = (person(at / 10), Chance(at as u64));
    let (place, thing, other, tool) = (chance.of(&PLACES), chance.of(&THINGS), chance.of(&THINGS), chance.of(&TOOLS));
    let text = match at % 10 {
        0 => format!("{who} moved to {place} and lives two streets from the harbour"),
        1 => format!("{who} takes care of the {thing} service and writes its releases with {tool}"),
        2 => format!("{who} would rather use {tool} than a graphical program for daily work"),
        3 => format!("{who} wants to see the {thing} checklist before the {other} is changed"),
        4 => format!("{who} drinks black tea in the morning and is never in a meeting before nine"),
        5 => format!("{who} goes climbing near {place} at weekends with {}", person(at * 7 % 400)),
        6 => format!("The {thing} script of {who} calls {tool} and listens on a port above {}", 1024 + at),
        7 => format!("{who} has a dog that is called after the {other} of an old project in {place}"),
        8 => format!("{who} decided to write the {thing} anew and to leave the {other} as it is"),
        _ => format!("{who} asks for short answers with examples in {tool}"),
    };
    format!("{text} (note {at})")
}

/// A question to which some of the facts are an answer.
pub(crate) fn question(at: usize) -> String {
    let (who, mut chance) = (person(at * 13 % 100), Chance(at as u64 + 77));
    match at % 6 {
        0 => format!("Where does {who} live?"),
        1 => format!("What did we decide about the {} and the {}?", chance.of(&THINGS), chance.of(&THINGS)),
        2 => format!("Which program does {who} use for daily work?"),
        3 => format!("Who works on the {} in {} and goes climbing?", chance.of(&THINGS), chance.of(&PLACES)),
        4 => format!("please remind me of the {} checklist", chance.of(&THINGS)),
        _ => format!("How should I answer {who} when they ask for {} examples?", chance.of(&TOOLS)),
    }
}
