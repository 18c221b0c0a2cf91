//! Claims of a sentence without spaces between its words.

use std::sync::LazyLock;

use hermes_text::normalize;

use super::{Claim, STATEMENT, choices, cue, cues};
use crate::entities::names::{self, USER};

/// Between a subject and what is said of it, and no part of either.
const BETWEEN: [&str; 28] = [
    "目前",
    "现在",
    "如今",
    "一直",
    "已经",
    "仍然",
    "还",
    "就",
    "也",
    "都",
    "今年",
    "最近",
    "刚",
    "现",
    "总是",
    "是",
    "は",
    "が",
    "も",
    "、",
    "，",
    "今",
    "現在",
    "ปัจจุบัน",
    "ตอนนี้",
    "ยัง",
    "กำลัง",
    " ",
];
/// At the end of a value.
const TAIL: [&str; 18] = [
    "です",
    "でした",
    "である",
    "だ",
    "に",
    "で",
    "を",
    "了",
    "的",
    "。",
    ".",
    "的工作",
    "ครับ",
    "ค่ะ",
    "ๆ",
    "さん",
    "の方",
    "のほう",
];
/// At the beginning of a value.
const HEAD: [&str; 18] = [
    "一名",
    "一位",
    "一个",
    "名",
    "位",
    "了",
    "在",
    "บริษัท",
    "เมือง",
    "จังหวัด",
    "คือ",
    "喝",
    "用",
    "吃",
    "叫",
    "为",
    "เป็น",
    " ",
];
/// Where a value ends.
const ENDS: [char; 10] = ['，', ',', '、', '(', '（', '和', '并', '且', '。', '「'];
/// Endings of professions in Chinese and Japanese; in Thai they begin with one of the others.
const PROFESSION_ENDINGS: [&str; 12] = ["师", "員", "员", "家", "医", "匠", "警", "工", "師", "士", "官", "记者"];
/// The same endings in words for something else.
const NO_PROFESSIONS: [&str; 10] = ["员工", "成员", "会员", "爱好者", "大家", "博士", "专家", "独生", "人家", "女士"];
/// What a place of work has in its name; without it "in Osaka" would be an employer.
const COMPANIES: [&str; 16] = [
    "公司",
    "集团",
    "银行",
    "医院",
    "学校",
    "大学",
    "科技",
    "会社",
    "商事",
    "工業",
    "銀行",
    "病院",
    "บริษัท",
    "โรงพยาบาล",
    "ธนาคาร",
    "โรงเรียน",
];
/// Negations with what stands there without them.
const NEGATIONS: [(&str, &str); 18] = [
    ("不再", ""),
    ("从不", ""),
    ("从来不", ""),
    ("没有", "有"),
    ("不是", "是"),
    ("不", ""),
    ("没", ""),
    ("讨厌", "喜欢"),
    ("嫌い", "好き"),
    ("好きではない", "好き"),
    ("好きじゃない", "好き"),
    ("ではありません", "です"),
    ("じゃありません", "です"),
    ("ていません", "ています"),
    ("ません", "ます"),
    ("ていない", "ている"),
    ("ไม่", ""),
    ("เกลียด", "ชอบ"),
];

struct Cue {
    attribute: &'static str,
    before: String,
    after: String,
}

/// The longest first.
static CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (attribute, texts) in cues::UNSPACED {
        for text in texts.split(';').map(str::trim) {
            if let Some((before, after)) = text.split_once("{}") {
                all.push(Cue { attribute, before: cue(before), after: cue(after) });
            }
        }
    }
    all.sort_by_key(|cue| std::cmp::Reverse(cue.before.chars().count() + cue.after.chars().count()));
    all
});

pub(super) fn claims(sentence: &str) -> Vec<Claim> {
    let text = normalize(sentence);
    let mut claims: Vec<Claim> = Vec::new();
    let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
    for cue in CUES.iter() {
        let Some((subject, value)) = cue.find(&text) else { continue };
        let known = claims.iter().any(|claim| claim.attribute == cue.attribute.trim_end_matches('?'));
        let overlaps = taken.iter().any(|other| other.start < value.end && value.start < other.end);
        if known || overlaps {
            continue;
        }
        taken.push(value.clone());
        claims.extend(claim(&text, cue.attribute, subject, value));
    }
    if !claims.iter().any(|claim| claim.attribute == "job") {
        claims.extend(profession(&text));
    }
    claims.extend(whole(&text));
    claims
}

impl Cue {
    /// The end of the subject, and where the value is.
    fn find(&self, text: &str) -> Option<(usize, std::ops::Range<usize>)> {
        if self.before.is_empty() {
            let end = text.find(&self.after)?;
            let start = text.get(..end)?.rfind(['は', 'が', 'も', '、', 'の']).map_or(0, |at| at + 3);
            return Some((start, start..end));
        }
        let subject = text.find(&self.before)?;
        let start = subject + self.before.len();
        let rest = text.get(start..)?;
        let end = if self.after.is_empty() { rest.find(ENDS).unwrap_or(rest.len()) } else { rest.find(&self.after)? };
        Some((subject, start..start + end))
    }
}

fn claim(text: &str, attribute: &str, subject: usize, value: std::ops::Range<usize>) -> Option<Claim> {
    let before = text.get(..subject)?;
    let mut negated = ["不", "没", "没有", "ไม่", "ไม่ได้"].iter().any(|word| before.trim_end().ends_with(word));
    negated |= text.get(value.end..)?.contains("ません") || text.get(value.end..)?.contains("ない");
    let said = subject_of(before)?;
    let value = trimmed(text.get(value)?, &HEAD, &TAIL);
    let doubtful = attribute.ends_with('?');
    let attribute = attribute.trim_end_matches('?');
    let clear = if attribute == "job" { is_profession } else { is_company };
    if value.is_empty() || (doubtful && !clear(&value)) {
        return None;
    }
    Some(Claim { subject: names::key(&said), said, attribute: attribute.to_owned(), value, negated })
}

/// A place of work: it says that it is a company, or it is longer than most names of towns.
fn is_company(value: &str) -> bool {
    COMPANIES.iter().any(|word| value.contains(word)) || value.chars().count() > 3
}

/// A profession: by its meaning, or in Chinese and Japanese by its ending, in Thai by its beginning.
fn is_profession(value: &str) -> bool {
    let thai = value.starts_with("นัก") || value.starts_with("ช่าง");
    let ending = PROFESSION_ENDINGS.iter().any(|ending| value.ends_with(ending))
        && !NO_PROFESSIONS.iter().any(|word| value.ends_with(word));
    choices::profession(value).is_some() || thai || (ending && value.chars().count() <= 8)
}

/// The subject that a text begins with; none when it is too long to be one.
fn subject_of(before: &str) -> Option<String> {
    let before = before.rsplit(['，', ',', '。']).next().unwrap_or(before);
    let bare =
        names::bare(&trimmed(before, &["但", "而", "据说", "บ้านของ", "อาชีพของ", "ที่พักของ", "ที่ทำงานของ"], &BETWEEN));
    let bare = trimmed(&bare, &[], &["不", "没", "没有", "ไม่ได้", "ไม่", "的", "の"]);
    let bare = names::bare(&bare);
    if bare.chars().count() > 24 {
        return None;
    }
    Some(if bare.is_empty() { USER.to_owned() } else { bare })
}

fn trimmed(text: &str, head: &[&str], tail: &[&str]) -> String {
    let mut text = text.trim();
    loop {
        let shorter = head
            .iter()
            .find_map(|word| text.strip_prefix(word))
            .or(tail.iter().find_map(|word| text.strip_suffix(word)));
        match shorter {
            Some(shorter) => text = shorter.trim(),
            None => return text.to_owned(),
        }
    }
}

/// 李雷是厨师, 佐藤さんは看護師です.
fn profession(text: &str) -> Option<Claim> {
    let (subject, start) = [("是", 3), ("は", 3), ("เป็น", "เป็น".len())]
        .iter()
        .find_map(|(word, length)| text.find(word).map(|at| (at, at + length)))?;
    let value = trimmed(text.get(start..)?, &HEAD, &TAIL);
    if !is_profession(&value) || value.contains('是') {
        return None;
    }
    let said = subject_of(text.get(..subject)?)?;
    Some(Claim { subject: names::key(&said), said, attribute: "job".to_owned(), value, negated: false })
}

/// The sentence itself, without its negations: nobody needs to know where its subject ends.
fn whole(text: &str) -> Option<Claim> {
    let mut plain = text.to_owned();
    let mut negated = false;
    for (negation, without) in NEGATIONS {
        if plain.contains(negation) {
            plain = plain.replacen(negation, without, 1);
            negated = !negated;
            break;
        }
    }
    let plain: String = plain.chars().filter(|c| c.is_alphanumeric()).collect();
    let said: String = plain.chars().take(2).collect();
    let fits = said.chars().count() == 2 && plain.chars().count() <= 40;
    let attribute = format!("{STATEMENT}{plain}");
    fits.then(|| Claim { subject: said.clone(), said, attribute, value: String::new(), negated })
}
