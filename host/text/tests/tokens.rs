//! What texts are cut into, and what an index is given and asked.

use std::collections::HashSet;

use hermes_text::{
    FTS5_TOKENIZE, MAX_TOKEN_CHARS, TokenKind, for_each_token, head_of_terms, index_terms, is_stop_word, normalize,
    query_terms, tokens,
};

/// The stems, and the rules that hold for every token of every text.
#[track_caller]
fn stems(text: &str) -> Vec<String> {
    let all = tokens(text);
    for token in &all {
        let slice = text.get(token.start..token.end).expect("a range on character boundaries");
        assert!(!slice.is_empty() && !token.stem.is_empty(), "{token:?}");
        assert!(token.text.chars().count() <= MAX_TOKEN_CHARS, "{token:?}");
        assert_eq!(normalize(&token.text), token.text, "{token:?}");
        assert!(!token.stem.contains(|c: char| c.is_whitespace() || c.is_control()), "{token:?}");
        assert!(!token.stem.contains(|c: char| c.is_ascii_punctuation()), "{token:?}");
    }
    let stems: Vec<_> = all.into_iter().map(|token| token.stem).collect();
    let terms = index_terms(text);
    let (head, tail) = head_of_terms(&terms);
    assert_eq!(head, stems.join(" "));
    let mut known: HashSet<&str> = stems.iter().map(String::as_str).collect();
    for other in tail.split(' ').filter(|_| !tail.is_empty()) {
        assert!(!other.is_empty() && known.insert(other), "{terms:?}");
        assert!(other.chars().all(|c| c.is_alphanumeric() || is_mark(c) || is_private(c)), "{terms:?}");
    }
    stems
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// The characters that tell sorts of terms apart.
fn is_private(c: char) -> bool {
    ('\u{E000}'..='\u{E002}').contains(&c)
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(stems(text).join(" "), expect);
}

#[test]
fn words_are_stemmed_by_their_script() {
    check("Running dogs", "run dog");
    check("собаками и кошки", "собак и кошк");
    check("The собаки ran", "the собак ran");
    check("café naïvely", "café naïv");
    check("ΑΘΗΝΑ Αθήνα", "αθην αθην");
    check("İstanbul", stems("istanbul").join(" ").as_str());
    check("मेरी बिल्ली", "मेरी बिल्ली");
}

#[test]
fn identifiers_are_found_by_their_parts() {
    check("foo_bar-baz.rs", "foo bar baz rs");
    check("john.doe@example.com", "john doe exampl com");
    check("client/server", "client server");
    check("C++ c# F#", "c cpp c csharp f fsharp");
    check("v1.2.3", "v1 1 2 3");
    check("1.2.3", "1 2 3");
    check("getUserName HTTPServerPool", "getusernam get user name httpserverpool http server pool");
    check("JavaScript McDonald iPhone", "javascript mcdonald iphon");
    check("gpt4 a1b2c3", "gpt4 gpt 4 a1b2c3");
    check("SQLзапрос", "sql запрос");
    check("a.b:c", "a b c");
}

#[test]
fn apostrophes() {
    check("dog's dogs’", "dog dog");
    check("don't can’t", "dont cant");
    check("l'eau d’accord qu'il", "eau accord il");
    check("O'Brien", "obrien brien");
    check("Ankara'ya", "ankaraya ankara");
    check("צה\"ל", "צהל");
    check("'quoted'", "quot");
}

#[test]
fn persian_and_arabic() {
    check("می\u{200C}خواهم", "میخواهم می خواهم");
    check("كتاب کتاب", "کتاب کتاب");
    check("شُكراً مرســي", "شکرا مرسی");
    check("۱۴۰۳ ١٤٠٣ १४०३", "1403 1403 1403");
    check("\u{640}\u{640} \u{64B}", "");
    check("ﷺ", "صلی الله علیه وسلم");
}

#[test]
fn scripts_without_spaces_become_pairs() {
    check("北京大学", "北京 京大 大学");
    check("猫", "猫");
    check("東京タワーへ", "東京 京タ タワ ワー ーへ");
    check("ｶﾞｽ", "ガス");
    check("用Docker部署", "用 docker 部署");
    check("แมว", "แม มว");
    check("ที่นี่", "ที่นี่");
    check("ที่", "ที่");
    check("北京 上海", "北京 上海");
    check("ສະບາຍ", "ສະ ະບ ບາ າຍ");
    check("三3月", "三 3 月");
}

#[test]
fn hangul_words_have_pairs_too() {
    check("서울에서", "서울에서 서울 울에 에서");
    check("서울 집", "서울 집");
    check("API를", "api 를");
    check("3월", "3월 3 월");
}

#[test]
fn kinds_and_ranges() {
    let text = "The É2 北京 42 dog's";
    let found: Vec<_> = tokens(text).into_iter().map(|t| (t.kind, t.text, text[t.start..t.end].to_owned())).collect();
    let token = |kind, text: &str, slice: &str| (kind, text.to_owned(), slice.to_owned());
    let expect = [
        token(TokenKind::Word, "the", "The"),
        token(TokenKind::Word, "é2", "É2"),
        token(TokenKind::Number, "2", "2"),
        token(TokenKind::Gram, "北京", "北京"),
        token(TokenKind::Number, "42", "42"),
        token(TokenKind::Word, "dog's", "dog's"),
    ];
    assert_eq!(found, expect);
}

#[test]
fn signs_and_emoji_are_no_tokens() {
    check("👨\u{200D}👩\u{200D}👧 ❤\u{FE0F} 🅰 ™ ℹ\u{FE0F} Ⓜ :-) \0", "");
    check("ok\0go👍", "ok go");
    check("1\u{FE0F}\u{20E3} ½ 5㎏", "1 1 2 5 kg");
    check("\u{301}\u{301}", "");
}

#[test]
fn queries_leave_stop_words_out() {
    #[track_caller]
    fn ask(text: &str, expect: &str) {
        assert_eq!(query_terms(text).join(" "), expect);
    }
    ask("What is the name of my dog? The dog's name!", "name dog");
    ask("а как зовут моего кота", "зовут кот");
    ask("to be or not to be", "to be or not");
    ask("что это", "что эт");
    ask("我的猫叫什么名字", "的猫 猫叫 叫什 么名 名字");
    ask("그리고 고양이", "고양이 고양 양이");
    ask("می\u{200C}خواهم", "میخواهم خواهم");
    ask("what's up", "what up");
    ask("?!", "");
}

#[test]
fn stop_words_are_function_words_only() {
    for word in "the don't what's и же который ist nicht les está gli não için که است है 的 です ที่ 그리고 أن".split(' ')
    {
        assert!(is_stop_word(word), "{word}");
    }
    for word in
        "dog die war car son pour sin dove mit ben var size era hay hat may us кот том 猫 名字 แมว गाँव".split(' ')
    {
        assert!(!is_stop_word(word), "{word}");
    }
}

#[test]
fn questions_of_one_character_meet_the_index() {
    let index = index_terms("我的猫叫咪咪");
    assert!(index.split(' ').any(|term| term == query_terms("猫?")[0]), "{index}");
    let index = index_terms("집에서 일했다");
    assert!(index.split(' ').any(|term| term == query_terms("집")[0]), "{index}");
    assert!(FTS5_TOKENIZE.contains("M*"));
}

/// Random texts from characters that trouble stemmers, segmenters and normalisers.
#[test]
fn any_text_is_cut_by_the_rules() {
    let troubled: Vec<char> = "aeyYs'’ingedlй ё́иеьяшИвшисьīßıİŉﬁǅ\u{301}\u{307}\u{308}\u{345}\u{200C}\u{200D}\
        \u{200B}\u{FE0F}\u{20E3}کمیْـהש\"׳กำี่ກຳ猫々カﾞー가각क्षि़ཀྵ၁ខ្មﷺ½㎏™Ⓜ🅰👍🏽🇩🇪\0\r\n._:@+#/-09٣५"
        .chars()
        .collect();
    let mut seed = 1_u64;
    for round in 0..6000 {
        let mut text = String::new();
        for _ in 0..round % 40 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(troubled[usize::try_from(seed >> 33).unwrap() % troubled.len()]);
        }
        stems(&text);
        let once = normalize(&text);
        assert_eq!(normalize(&once), once, "{text:?}");
    }
}

#[test]
fn every_character_is_cut_by_the_rules() {
    // One in sixty-four of the uniform thousands: ideographs, syllables, private use.
    let uniform = |c: u32| matches!(c, 0x3400..=0xA000 | 0xAC00..=0xF8FF | 0x1_2000..=0x1_CFFF | 0x2_0000..);
    for c in (0..=0x3_FFFF).filter(|c| !uniform(*c) || c % 64 == 0).filter_map(char::from_u32) {
        stems(&format!("{c} a{c}ing{c} н{c}ами"));
    }
}

#[test]
fn hostile_lengths_give_no_more_tokens_than_characters() {
    let many = 100_000;
    for unit in ["x", "x ", "猫", "\u{301}", "a'", "ک\u{200C}", "🇩", "👩\u{200D}", "क्", "\0", "1.", "é"] {
        let text = format!("a{}", unit.repeat(many));
        let mut count = 0;
        for_each_token(&text, |_| count += 1);
        assert!(count <= 2 * many, "{unit:?}: {count}");
    }
    let long = format!("{}end next", "y".repeat(many));
    let found = tokens(&long);
    assert_eq!((found.len(), found[0].text.len(), found[0].end), (2, MAX_TOKEN_CHARS, many + 3));
}
