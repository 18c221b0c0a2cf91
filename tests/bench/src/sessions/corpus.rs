//! Conversations in several languages that are the same in every run: words as often as in real texts (Zipf), with
//! endings, in sessions with results of tools among them.

use hermes_host::layers::episodic::NewMessage;
use hermes_provider_api::records::Role;

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap_or(0)
    }

    /// A place in a list of so many, each half as often as the one at half its place.
    fn zipf(&mut self, count: usize) -> usize {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let place = (count as f64).powf(share) - 1.0;
        #[expect(clippy::cast_possible_truncation, reason = "it lies between 0 and the count")]
        let place = place as usize;
        place.min(count.saturating_sub(1))
    }
}

/// A language: syllables that its words are made of, and endings that they have.
struct Tongue {
    syllables: &'static [&'static str],
    endings: &'static [&'static str],
    words: usize,
}

const TONGUES: [Tongue; 5] = [
    Tongue {
        syllables: &[
            "ba", "con", "der", "fi", "gra", "ho", "in", "ka", "lo", "mer", "nu", "ope", "pri", "ral", "sto", "ter",
            "uni", "ver", "wes", "tal", "min", "dro", "pel", "cha", "sig", "for", "lan", "bri", "nel", "cos",
        ],
        endings: &["", "", "", "s", "ed", "ing"],
        words: 60_000,
    },
    Tongue {
        syllables: &[
            "бо", "вер", "го", "дар", "жи", "зо", "ка", "лу", "мир", "но", "пол", "ре", "ста", "тро", "фи", "хо",
            "цен", "чи", "шар", "лен", "рук", "вод", "сне", "пре",
        ],
        endings: &["", "а", "ы", "ами", "ах", "у", "ом"],
        words: 40_000,
    },
    Tongue {
        syllables: &[
            "ge", "schei", "ber", "wun", "hal", "tung", "mei", "lich", "kei", "ver", "ein", "bau", "zeu", "gen",
            "stra", "dorf", "müh", "le", "kör", "for",
        ],
        endings: &["", "e", "en", "er", "es"],
        words: 30_000,
    },
    Tongue { syllables: &[], endings: &[""], words: 3000 },
    Tongue {
        syllables: &[
            "ก",
            "ข",
            "คา",
            "งอ",
            "จี",
            "ชม",
            "ดู",
            "ตา",
            "นก",
            "บา",
            "ปลา",
            "มี",
            "รัก",
            "ลม",
            "สี",
            "หา",
            "อา",
            "เรา",
            "แม",
            "โต",
        ],
        endings: &[""],
        words: 5000,
    },
];
/// The language written in characters, and the first of them.
const CHINESE: usize = 3;
const FIRST: u32 = 0x4e00;
/// Of ten messages so many are in each language.
const SHARES: [usize; 10] = [0, 0, 0, 0, 1, 1, 2, 2, 3, 4];
/// What stands between words that all texts have.
const SMALL: [&str; 8] = ["the", "of", "and", "to", "is", "it", "we", "in"];
/// The length of a session.
pub(super) const SESSION: usize = 40;

/// The word at a place of a language's list.
fn word(tongue: usize, place: usize, ending: usize) -> String {
    let Tongue { syllables, endings, .. } = &TONGUES[tongue];
    if tongue == CHINESE {
        return u32::try_from(place)
            .ok()
            .and_then(|place| char::from_u32(FIRST + place))
            .map(String::from)
            .unwrap_or_default();
    }
    // Frequent words are short.
    let mut dice = Dice((place as u64) << 8 | tongue as u64);
    let count = if place < 200 { 2 } else { 2 + dice.below(3) };
    let mut word: String = (0..count).map(|_| syllables[dice.below(syllables.len())]).collect();
    word.push_str(endings[ending % endings.len()]);
    word
}

/// A text of so many words.
pub(super) fn text(dice: &mut Dice, tongue: usize, words: usize) -> String {
    let mut text = String::new();
    for at in 0..words {
        let (place, ending) = (dice.zipf(TONGUES[tongue].words), dice.below(12));
        match tongue {
            CHINESE | 4 if at % 9 == 8 => text.push_str(if tongue == CHINESE { "，" } else { " " }),
            CHINESE | 4 => text.push_str(&word(tongue, place, ending)),
            0 if at % 3 == 1 => text.push_str(SMALL[dice.below(SMALL.len())]),
            _ => text.push_str(&word(tongue, place, ending)),
        }
        if tongue != CHINESE && tongue != 4 && at + 1 < words {
            text.push_str(if at % 14 == 13 { ". " } else { " " });
        }
    }
    text
}

/// The message at a place of the corpus.
pub(super) fn message(number: usize) -> NewMessage {
    let mut dice = Dice(number as u64 ^ 0x5e55);
    let tongue = SHARES[(number / SESSION) % SHARES.len()];
    let (role, content) = match number % 5 {
        0 | 3 => (Role::User, text(&mut dice, tongue, 8 + number % 17)),
        2 => {
            let rows = (0..6).map(|at| {
                format!("{{\"id\": {}, \"{}\": \"{}\"}}", dice.next() >> 40, word(0, at, 0), text(&mut dice, 0, 9))
            });
            (Role::Tool, format!("[{}]", rows.collect::<Vec<_>>().join(", ")))
        }
        _ => (Role::Assistant, text(&mut dice, tongue, 25 + number % 50)),
    };
    let at_ms = 1_700_000_000_000 + 30_000 * number as u64;
    NewMessage { turn: (number % SESSION) as u64 / 5 + 1, role, content, at_ms, ..NewMessage::default() }
}
