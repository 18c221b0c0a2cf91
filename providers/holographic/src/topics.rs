//! What a question is about when its words are not those of the fact.
//!
//! "Where does she live?" is answered by "has a flat in Lisbon", «Кем он работает?» by "is a translator". For the
//! things that people tell an assistant about (home, work, family, food, …) the words that belong together are listed,
//! in English, Russian and Chinese, each word as it stands in a sentence. A topic weighs less than a word: it only
//! decides between facts that are otherwise alike.

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_text::{normalize, tokens};

/// A topic of a question.
pub(crate) struct Topic {
    /// What facts about it say.
    pub(crate) stems: &'static [String],
    /// What having one of them is worth, as a part of a word.
    pub(crate) weight: f64,
}

/// A question, read.
pub(crate) struct Read {
    /// Without idioms.
    pub(crate) text: String,
    pub(crate) topics: Vec<Topic>,
}

/// What a topic is worth when a word of it is asked for, and when only a question word hints at it («где»).
const NAMED: f64 = 0.4;
const HINTED: f64 = 0.2;

struct Entry {
    /// Words of facts and of questions.
    words: &'static str,
    /// Words of questions alone.
    asked: &'static str,
    /// Phrases whose words mean something else alone.
    idioms: &'static [&'static str],
}

const TOPICS: &[Entry] = &[
    Entry {
        words: "live lives lived reside resides residence home house flat apartment city town address moved settled \
                based живёт живут жить проживает квартира квартиру дом город городе адрес переехал переехала снимает \
                поселился поселилась 住在 居住 搬到 城市 住址",
        asked: "where где куда 哪里 哪儿",
        idioms: &[],
    },
    Entry {
        words: "born birth birthplace grew grow raised native hometown childhood origin roots родом родился родилась \
                вырос выросла родина родине происхождение корни приехала приехал 出生 长大 来自 家乡 老家",
        asked: "откуда",
        idioms: &["grow up", "grew up", "come from", "comes from"],
    },
    Entry {
        words: "job work works worked working profession professional occupation career position role trade работа \
                работает работать профессия профессии должность специальность карьера трудится 工作 职业 从事 职位",
        asked: "кем",
        idioms: &["for a living", "does for work", "do for work"],
    },
    Entry {
        words: "company employer employed employs work works firm organisation organization business startup office hired joined \
                colleague компания компании компанию фирма фирме работодатель организация взяли устроился устроилась \
                коллега коллеги офис стартап 公司 单位 雇主 同事",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "pet pets animal dog puppy cat kitten parrot bird rabbit hamster turtle tortoise fish horse питомец \
                питомца питомцы животное собака собаку пёс щенок кот кошка кошку котёнок попугай птица кролик хомяк \
                черепаха рыбка лошадь зверь зверя 宠物 小狗 小猫 养了 一只 一条",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "name named called nickname зовут имя имени кличка кличку кличке назвал назвала прозвище 名字 叫做 名叫",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "food eat eats dish meal cuisine cook cooks lunch dinner breakfast snack recipe favourite favorite loves \
                taste delicious vegetarian vegan еда еду ест блюдо блюда кухня готовит приготовить обед ужин завтрак \
                любимое обожает вкусно рецепт 食物 菜 吃 喜欢吃 美食",
        asked: "order заказать hungry голодный",
        idioms: &[],
    },
    Entry {
        words: "hobby hobbies pastime leisure weekend weekends enjoys enjoy interested interests fun sport plays \
                collects хобби увлекается увлечение увлечения выходным выходные досуг занимается любитель интересы \
                спорт играет собирает коллекционирует 爱好 喜欢 业余 周末 运动",
        asked: "saturday sunday gift present подарить подарок",
        idioms: &["free time", "spare time", "свободное время", "like doing", "for fun"],
    },
    Entry {
        words: "language languages speak speaks fluent bilingual tongue native язык языке языки языком говорит владеет \
                знает родной 语言 母语 会说 讲",
        asked: "",
        idioms: &["mother tongue", "native language"],
    },
    Entry {
        words: "prefer prefers preference preferred favourite favorite likes picks chooses rather dislikes hates \
                предпочитает предпочтения предпочтение выбирает любит нравится любимый ненавидит вместо 喜欢 偏好 更喜欢 \
                讨厌",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "tool tools use uses using relies software program app editor framework database library инструмент \
                инструментом инструменты пользуется использует программа программой приложение редактор 工具 使用 软件 \
                编辑器",
        asked: "install setup laptop установить ноутбук настроить",
        idioms: &[],
    },
    Entry {
        words: "family wife husband spouse partner married son daughter child children kid kids mother father mom dad \
                brother sister parents семья жена муж супруг супруга женат замужем сын дочь ребёнок дети мать мама отец \
                папа брат сестра родители 家人 妻子 丈夫 儿子 女儿 孩子 父母 结婚",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "birthday age old date anniversary возраст лет дата годовщина рождения 生日 年龄 岁",
        asked: "when когда 何时",
        idioms: &["how old"],
    },
    Entry {
        words: "meeting meetings appointment schedule calendar deadline standup встреча встречи созвон расписание \
                календарь срок дедлайн 会议 日程 截止",
        asked: "when когда",
        idioms: &[],
    },
    Entry {
        words: "allergy allergic health doctor medicine medication illness diet аллергия аллергии здоровье врач лекарство \
                болезнь диета 过敏 健康 医生 药",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "phone telephone email mail number contact телефон почта номер контакт 电话 邮箱 号码",
        asked: "reach связаться",
        idioms: &[],
    },
    Entry {
        words: "travel travels trip flight flies train plane car drives bike holiday vacation visited путешествие поездка \
                ездит летает поезд самолёт машина велосипед отпуск 旅行 旅游 飞机 火车 开车",
        asked: "",
        idioms: &[],
    },
    Entry {
        words: "study studies studied student university college school degree course учится учился училась студент \
                студентка университет институт школа диплом курс 学习 大学 学校 专业",
        asked: "",
        idioms: &[],
    },
];

/// Idioms that say nothing about the subject.
const FILLERS: &[&str] =
    &["these days", "at the moment", "right now", "at all", "в последнее время", "в данный момент"];

struct Tables {
    stems: Vec<Vec<String>>,
    /// Which topics a stem of a question raises, and by how much.
    raised: HashMap<String, Vec<(usize, f64)>>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut stems = Vec::new();
    let mut raised: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
    for (topic, entry) in TOPICS.iter().enumerate() {
        let mut own: Vec<String> = tokens(entry.words).into_iter().map(|token| token.stem).collect();
        own.sort();
        own.dedup();
        for stem in &own {
            raised.entry(stem.clone()).or_default().push((topic, NAMED));
        }
        for token in tokens(entry.asked) {
            raised.entry(token.stem).or_default().push((topic, HINTED));
        }
        stems.push(own);
    }
    Tables { stems, raised }
});

/// Whether a word of a text speaks of a topic, so that a capital at the beginning of a sentence makes no name of it.
pub(crate) fn is_topic_word(word: &str) -> bool {
    tokens(word).first().is_some_and(|token| !of_stem(&token.stem).is_empty())
}

/// The topics that a fact with this stem is about, as numbers.
pub(crate) fn of_stem(stem: &str) -> Vec<usize> {
    let raised = TABLES.raised.get(stem).into_iter().flatten();
    raised.filter(|(_, weight)| *weight >= NAMED).map(|(topic, _)| *topic).collect()
}

/// Finds the topics of a question, and takes idioms out of it.
pub(crate) fn read(text: &str) -> Read {
    let mut weights: HashMap<usize, f64> = HashMap::new();
    let mut raise = |topic: usize, weight: f64| {
        let known = weights.entry(topic).or_default();
        *known = known.max(weight);
    };
    let plain = normalize(text);
    let mut rest = text.to_owned();
    let idioms = TOPICS
        .iter()
        .enumerate()
        .flat_map(|(topic, entry)| entry.idioms.iter().map(move |idiom| (Some(topic), *idiom)));
    for (topic, idiom) in idioms.chain(FILLERS.iter().map(|filler| (None, *filler))) {
        if !contains_words(&plain, idiom) {
            continue;
        }
        if let Some(topic) = topic {
            raise(topic, NAMED);
        }
        rest = without(&rest, idiom);
    }
    // A text that was nothing but an idiom is searched for as it is.
    let text = if tokens(&rest).is_empty() { text.to_owned() } else { rest };
    for token in tokens(&text) {
        for (topic, weight) in TABLES.raised.get(&token.stem).into_iter().flatten() {
            raise(*topic, *weight);
        }
    }
    let mut topics: Vec<Topic> = weights
        .into_iter()
        .filter_map(|(topic, weight)| Some(Topic { stems: TABLES.stems.get(topic)?, weight }))
        .collect();
    topics.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.stems.cmp(b.stems)));
    Read { text, topics }
}

fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let letter = |c: char| c.is_alphanumeric();
        !text[..at].ends_with(letter) && !text[at + phrase.len()..].starts_with(letter)
    })
}

/// The text without the words of a phrase, where they stand in a row.
fn without(text: &str, phrase: &str) -> String {
    let words: Vec<&str> = phrase.split(' ').collect();
    let pieces: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let bare = |piece: &&str| normalize(piece.trim_matches(|c: char| !c.is_alphanumeric()));
        let here = pieces.get(at..at + words.len());
        if here.is_some_and(|here| here.iter().map(bare).eq(words.iter().map(|word| (*word).to_owned()))) {
            at += words.len();
            continue;
        }
        kept.push_str(piece);
        at += 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, fact: &str) {
        let stems: Vec<String> = tokens(fact).into_iter().map(|token| token.stem).collect();
        let topics = read(question).topics;
        assert!(topics.iter().any(|topic| topic.stems.iter().any(|stem| stems.contains(stem))), "{question} / {fact}");
    }

    #[test]
    fn questions_meet_facts_in_other_words() {
        check("Where does Mo live?", "Mo has a flat in Oslo");
        check("What does Mo do for a living?", "Mo works as a baker");
        check("Кличка зверя?", "У Мо есть собака");
        check("Где живёт Мо?", "Mo lives in Oslo");
        check("他住在哪里", "Mo lives in Oslo");
    }

    #[test]
    fn idioms_are_taken_out() {
        assert_eq!(read("what does Mo do for a living?").text, "what does Mo do ");
        assert_eq!(read("These days").text, "These days");
        assert_eq!(read("сибирь").topics.len(), 0);
    }
}
