//! The words of a sentence, and what the little ones say.

use hermes_text::normalize;

use super::choices;
use crate::entities::names::{List, is_user};

/// Words that say when or how surely, between the others.
pub(super) static FILLERS: List = List::new(
    "currently now still already always usually also often really actually presently nowadays today mostly just \
                       recently has have had been lately сейчас теперь еще все уже обычно также тоже недавно ныне сегодня больше mehr \
                       derzeit jetzt noch immer auch zurzeit momentan seit meist meistens şu anda artık hala hep \
                       actualmente ahora todavía siempre actuellement maintenant encore toujours heute",
);
pub(super) static NEGATIONS: List = List::new(
    "not no never don't doesn't didn't isn't aren't won't can't cannot wouldn't longer без не ни никогда нет \
                         nicht nie niemals kein keine keinen keinem keiner nunca jamás tampoco ne n pas jamais plus değil \
                         asla hiç 안 않는다 않습니다 نه هرگز",
);
/// A value ends before them, or there is none where it would begin with one.
pub(super) static ENDS: List = List::new(
    "with and since for because but who which where that from by on in at near while after before until as when if \
                    с со и а но у к ко около рядом потому для по на в во за из от вместе где что когда уже до через \
                    mit und seit bei am im an weil aber in nahe als zu zur zum wo wenn um von aus \
                    ve ile için çünkü ama con y desde cerca porque pero en avec et depuis près car mais dans à chez \
                    و با از که برای",
);
/// But the seat "by the window" and the work "from home" are chosen as they are.
pub(super) static WITHIN_CHOICE: List = List::new("у из from von aus");
/// Before a value, and no part of it.
pub(super) static ARTICLES: List = List::new(
    "a an the his her their its my our der die das dem den des ein eine einen einem einer seine ihre el la los las \
                        un una le les l' du компания компании компанию компанией фирма фирме фирму организации город городе г company \
                        firma firm city town of called named namens about شهر",
);
/// What follows belongs to the user, and is somebody or something else.
pub(super) static POSSESSIVES: List = List::new("my мой моя мое мои mein meine benim mi mon ma mes");
/// Nobody knows here who they are.
pub(super) static PRONOUNS: List = List::new(
    "he she it they we you his her their он она оно они мы ты вы его ее их er sie es wir ihr o onlar él ella ellos \
                        il elle ils elles on او آنها this that these those это",
);
/// Before what was or may be, not what is.
pub(super) static UNREAL: List =
    List::new("to would could might may if should хочет хотел хотела мечтает бы möchte will würde quiere veut");
/// Between a noun and its value.
pub(super) static COPULAS: List = List::new("is are ist est es são é = зовут называется это heißt lautet s'appelle");
/// Before a profession, and before a day or a place.
pub(super) static BEING: List = List::new("is am 'm i'm ist bin est suis es soy");
pub(super) static ON: List = List::new("on in at auf am в на");
pub(super) static OF: List = List::new("of de von des du d' for");
/// Who is called a keen gardener, or a former one, works as something else.
pub(super) static PASTIMES: List = List::new(
    "keen avid passionate amateur hobby good great big huge fast slow early heavy retired former ex aspiring future \
                        would-be заядлый заядлая страстный страстная бывший бывшая будущий будущая хороший хорошая leidenschaftlicher \
                        begeisterter ehemaliger ehemalige guter gute gran antiguo ancien ancienne grand bon bonne",
);
/// Beginnings of words for places of work.
pub(super) const FIRMS: &str = "компани фирм банк студи ооо ао театр институт университет больниц школ завод фабрик магазин агентств министерств \
                     şirket firma banka hastane okul üniversite fabrika 회사 은행 병원 학교 대학 empresa banco hospital escuela \
                     bank hospital university school studio department factory";
/// Between a job and those who give it.
pub(super) static FOR: List = List::new("at for with bei für chez para");
pub(super) static WITHIN: List = List::new("in в во на en im");
pub(super) static AS: List = List::new("as als como comme");

pub(super) struct Word {
    pub(super) low: String,
    pub(super) upper: bool,
    /// Punctuation that ends a value stands before it.
    pub(super) breaks: bool,
    /// A dash, a colon or an equals sign stands before it.
    pub(super) dash: bool,
    /// An opening quotation mark stands before it.
    pub(super) quoted: bool,
}

impl Word {
    pub(super) fn is(&self, list: &List) -> bool {
        list.has(&self.low)
    }

    /// A name by its capital; a user's word is none.
    pub(super) fn names(&self) -> bool {
        self.upper && !is_user(&self.low)
    }
}

/// The words of a sentence.
pub(super) fn words(text: &str) -> Vec<Word> {
    let inside = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '\'' | '’' | '-' | '_' | '/' | '.' | '@' | '+' | '#' | ':' | '=' | '\u{200C}' | '\u{301}')
            || hermes_text::script_of(c).is_some()
    };
    let mut words: Vec<Word> = Vec::new();
    let mut rest = 0;
    while let Some(begin) = text[rest..].find(inside).map(|at| rest + at) {
        let gap = &text[rest..begin];
        let end = text[begin..].find(|c| !inside(c)).map_or(text.len(), |length| begin + length);
        let raw = &text[begin..end];
        let word = raw.trim_matches(|c: char| matches!(c, '.' | '-' | '/' | '\'' | '’' | ':' | '='));
        let before = rest == 0;
        rest = end;
        let breaks = gap.contains([',', ';', '(', ')', '—', '–', '،']) || raw.starts_with(':');
        let dash = gap.contains(['—', '–'])
            || matches!(raw, "-" | ":" | "=")
            || words.last().is_some_and(|last| last.low == ":");
        if word.is_empty() {
            words.push(Word { low: ":".to_owned(), upper: false, breaks: true, dash, quoted: false });
            continue;
        }
        let colon = raw.ends_with(':');
        words.push(Word {
            low: normalize(word),
            upper: word.starts_with(char::is_uppercase),
            breaks: breaks && !before,
            dash,
            quoted: gap.contains(['«', '"', '“', '„', '‘']),
        });
        if colon {
            words.push(Word { low: ":".to_owned(), upper: false, breaks: true, dash: true, quoted: false });
        }
    }
    words.dedup_by(|later, earlier| later.low == ":" && earlier.low == ":");
    let mut after_colon = false;
    for word in &mut words {
        word.dash |= after_colon;
        after_colon = word.low == ":";
    }
    words.retain(|word| word.low != ":");
    words
}

pub(super) fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.low.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether a name is that of a firm and not of a town: in quotation marks, of several words, or by a word for it.
pub(super) fn is_firm(words: &[Word]) -> bool {
    let several = words.iter().filter(|word| word.upper).count() > 1;
    several || words.iter().any(|word| word.quoted || FIRMS.split(' ').any(|firm| word.low.starts_with(firm)))
}

/// Whether words name what somebody is by profession: in English and German the last one, elsewhere mostly the first.
pub(super) fn names_profession(words: &[Word]) -> bool {
    let pastime = words.iter().any(|word| word.is(&PASTIMES) || choices::is_no_profession(&word.low));
    !pastime && words.iter().any(|word| choices::is_profession(&word.low))
}

pub(super) fn is_negation(word: &Word) -> bool {
    word.is(&NEGATIONS) || word.low.starts_with("n'") || word.low.ends_with("n't") || word.low.starts_with("نمی")
}

/// Where a name shows by its capital.
pub(super) fn has_case(word: &str) -> bool {
    word.chars().any(char::is_lowercase)
}
