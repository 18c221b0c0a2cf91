//! One form for a name in all its cases, with or without titles: «Анны Беловой», «г-жа г-на г-ну г-жи г-же Анна Белова», "Anna Belova".

use std::collections::HashSet;
use std::sync::OnceLock;

use hermes_text::{Script, normalize, script_of, tokens};

use super::{sound_of, unspaced};

/// The one who speaks, or whose notes these are.
pub(crate) const USER: &str = "@user";
/// Words for them.
static USER_WORDS: List = List::new(
    "user i i'm i've i'd my me mine myself пользователь пользователя пользователю я мой моя мое мои меня мне \
                          benutzer benutzerin nutzer ich mein meine kullanıcı kullanıcının ben benim usuario usuaria yo mi \
                          utilisateur utilisatrice je j'ai mon ma mes 用户 我 本人 使用者 ユーザー ユーザ 私 僕 俺 ผู้ใช้ ผม ฉัน ดิฉัน \
                          사용자는 사용자가 사용자의 사용자 저는 나는 제 내 کاربر من",
);
/// What comes before or after a name and is no part of it.
static TITLES: List = List::new(
    "mr mrs ms miss dr prof sir madam lord lady herr herrn frau frl dipl-ing г-н г-жа г-на г-ну г-жи г-же господин госпожа господина \
                      госпожи доктор доктора профессор профессора sayın bey hanım beyefendi hanımefendi \
                      abi abla señor señora sr sra monsieur madame mme mlle 씨 씨는 씨가 씨의 씨를 님 님은 님이 آقای خانم دکتر",
);
/// The same where no space stands between; the first of them before the name.
pub(super) const BEFORE: [&str; 6] = ["คุณ", "นาย", "นางสาว", "นาง", "ดร.", "เด็กชาย"];
pub(super) const AFTER: [&str; 22] = [
    "さん",
    "さま",
    "様",
    "ちゃん",
    "くん",
    "君",
    "先生",
    "氏",
    "殿",
    "先輩",
    "女士",
    "小姐",
    "同学",
    "经理",
    "教授",
    "老师",
    "医生",
    "阿姨",
    "叔叔",
    "씨",
    "님",
    "선생님",
];
/// Particles after a Korean name.
const PARTICLES: [&str; 10] = ["씨는", "은", "는", "이", "가", "의", "를", "을", "에게", "과"];

/// Whether a word stands for the user.
pub(crate) fn is_user(word: &str) -> bool {
    USER_WORDS.has(word)
}

/// Whether a word is a title or an honorific.
pub(crate) fn is_title(word: &str) -> bool {
    TITLES.has(word.trim_end_matches('.'))
}

/// Words, to be found among quickly.
pub(crate) struct List {
    text: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl List {
    /// The words of a text, with a space between each two.
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// Whether a word is among them.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.text.split_whitespace().collect()).contains(word)
    }
}

/// A name without what is not part of it, in its normal form: "Frau Dr. Kern" is "kern", 佐藤さん is 佐藤.
pub(crate) fn bare(name: &str) -> String {
    let normal = normalize(name);
    let words: Vec<&str> = normal.split(' ').filter(|word| !is_title(word)).collect();
    let mut name = if words.is_empty() { normal.clone() } else { words.join(" ") };
    if is_user(&name) {
        return USER.to_owned();
    }
    for title in BEFORE {
        if let Some(rest) = name.strip_prefix(title).filter(|rest| rest.chars().nth(1).is_some()) {
            name = rest.trim().to_owned();
        }
    }
    for title in AFTER {
        if let Some(rest) = name.strip_suffix(title).filter(|rest| rest.chars().nth(1).is_some()) {
            name = rest.trim().to_owned();
        }
    }
    let hangul = |c: char| script_of(c) == Some(Script::Hangul);
    for particle in PARTICLES {
        if let Some(rest) =
            name.strip_suffix(particle).filter(|rest| rest.ends_with(hangul) && rest.chars().nth(1).is_some())
        {
            name = rest.trim().to_owned();
            break;
        }
    }
    name
}

/// The key of a name that is bare.
pub(crate) fn key(bare: &str) -> String {
    if bare == USER {
        return bare.to_owned();
    }
    let mut words: Vec<String> = bare.split(' ').map(word_key).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

fn word_key(word: &str) -> String {
    // Signs of a script without spaces are no words that could sound alike.
    let token = tokens(word).into_iter().next().filter(|_| !unspaced::is_unspaced(word));
    match token.as_ref().and_then(sound_of) {
        Some(sound) => sound,
        None => without_ending(word).chars().filter(|c| c.is_alphanumeric()).collect(),
    }
}

/// Without what stands after an apostrophe, and without the `s` of a genitive.
fn without_ending(word: &str) -> &str {
    let word = word.split(['\'', '’']).next().unwrap_or(word);
    word.strip_suffix('s').filter(|rest| rest.chars().count() > 3).unwrap_or(word)
}

/// Whether two bare names with the same key are the same: within the Latin alphabet "Paul" is not "Paula".
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    let latin = |name: &str| name.chars().find_map(script_of) == Some(Script::Latin);
    if !latin(one) || !latin(other) {
        return true;
    }
    // One may have fewer words: "Ada" and "Ada Byron".
    let within = |part: &str, whole: &str| {
        part.split(' ').all(|word| whole.split(' ').any(|other| without_ending(word) == without_ending(other)))
    };
    within(one, other) || within(other, one)
}
