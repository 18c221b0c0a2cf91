//! One form to compare by, scripts, languages, cuts.

use hermes_text::{
    Language, MAX_GRAM, Script, char_count, dominant_script, grams, language, normalize, script_of, truncate_chars,
};
use unicode_segmentation::UnicodeSegmentation as _;

#[track_caller]
fn check(input: &str, expect: &str) {
    let once = normalize(input);
    assert_eq!(once, expect);
    assert_eq!(normalize(&once), once, "a second pass changes {input:?}");
}

#[test]
fn one_form_for_comparing() {
    check("  Hello,\t\r\n  WORLD \u{3000}! ", "hello, world !");
    check("Ёлка и Ещё", "елка и еще");
    check("Е\u{308}ж", "еж");
    check("ё\u{308}\u{323}\u{308}", "е\u{323}");
    check("ΟΔΥΣΣΕΥΣ ςς", "οδυσσευσ σσ");
    check("İstanbul I\u{307} ılık", "istanbul i ılık");
    check("Ｆｕｌｌ　ｗｉｄｔｈ ﬁne ㎏", "full width fine kg");
    check("ｶﾞｷﾞ", "ガギ");
    check("cafe\u{301}", "café");
    check("co\u{AD}op\u{200B}er\u{2060}ate\u{FEFF}", "cooperate");
    check("\u{202B}abc\u{202C}\u{200E}\u{200F}", "abc");
    check("می\u{200C}خواهم", "می\u{200C}خواهم");
    check("👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}", "👨\u{200D}👩\u{200D}👧 ❤");
    check("क\u{94D}\u{200D}ष", "क\u{94D}\u{200D}ष");
    check("a\0b\u{1}\u{85}c", "a b c");
    check("Straße", "straße");
    check("´x´ ", "\u{301}x \u{301}");
    check("", "");
    check("\0\n", "");
}

#[test]
fn every_character_is_stable_alone_and_after_a_letter() {
    for c in (0..=0x3_FFFF).filter_map(char::from_u32) {
        for text in [c.to_string(), format!("е{c}\u{308}i{c}\u{307}")] {
            let once = normalize(&text);
            assert_eq!(normalize(&once), once, "U+{:04X}", u32::from(c));
        }
    }
}

#[test]
fn scripts() {
    use Script::*;
    let known = [
        ('a', Some(Latin)),
        ('é', Some(Latin)),
        ('я', Some(Cyrillic)),
        ('λ', Some(Greek)),
        ('ک', Some(Arabic)),
        ('ש', Some(Hebrew)),
        ('क', Some(Devanagari)),
        ('\u{93F}', Some(Devanagari)),
        ('ก', Some(Thai)),
        ('猫', Some(Han)),
        ('々', Some(Han)),
        ('ね', Some(Kana)),
        ('ー', Some(Kana)),
        ('ｶ', Some(Kana)),
        ('한', Some(Hangul)),
        ('ქ', Some(Other)),
        ('ລ', Some(Other)),
        ('7', None),
        ('۷', None),
        ('๗', None),
        ('।', None),
        ('،', None),
        (' ', None),
        ('😀', None),
        ('\u{301}', None),
    ];
    for (c, expect) in known {
        assert_eq!(script_of(c), expect, "{c:?}");
    }
    for (text, expect) in [
        ("Hello мир, dear", Some(Latin)),
        ("ok, спасибо", Some(Cyrillic)),
        ("ab вг", Some(Latin)),
        ("123 !?", None),
        ("", None),
    ] {
        assert_eq!(dominant_script(text), expect, "{text:?}");
    }
}

#[test]
fn languages() {
    use Language::*;
    for (text, expect) in [
        ("What is the name of my dog?", English),
        ("cargo build", English),
        ("Ich habe keine Zeit für das Spiel", German),
        ("Je ne sais pas où est mon chat", French),
        ("¿Dónde está la biblioteca de mi ciudad?", Spanish),
        ("Non so dove sono le mie chiavi della macchina", Italian),
        ("Eu não sei onde estão as minhas chaves", Portuguese),
        ("Benim kedimin adı çok güzel bir şey", Turkish),
        ("Mój pies wabi się Łatek i śpi", Polish),
        ("Tôi muốn học tiếng Việt", Vietnamese),
        ("Как зовут мою собаку?", Russian),
        ("Объект съел ёж", Russian),
        ("Як звати мого собаку і кота?", Ukrainian),
        ("Къде е моето куче и как се казва? Ъгъл", Bulgarian),
        ("Како се зове мој пас", Serbian),
        ("Πώς λένε τη γάτα μου;", Greek),
        ("ما اسم قطتي", Arabic),
        ("اسم گربه من چیست", Persian),
        ("میری بلی کا نام کیا ہے اور لڑکی", Urdu),
        ("איך קוראים לחתול שלי", Hebrew),
        ("मेरी बिल्ली का नाम क्या है", Hindi),
        ("แมวของฉันชื่ออะไร", Thai),
        ("我的猫叫什么名字", Chinese),
        ("私の猫の名前は何ですか", Japanese),
        ("제 고양이 이름이 뭐예요", Korean),
        ("12345 :-)", Unknown),
        ("", Unknown),
    ] {
        assert_eq!(language(text), expect, "{text}");
    }
}

#[track_caller]
fn check_cut(text: &str, max: usize, expect: &str) {
    let cut = truncate_chars(text, max);
    assert_eq!(cut, expect);
    assert!(char_count(cut) <= max && text.starts_with(cut));
}

#[test]
fn cuts_between_clusters() {
    check_cut("hello", 3, "hel");
    check_cut("hello", 5, "hello");
    check_cut("hello", usize::MAX, "hello");
    check_cut("hello", 0, "");
    check_cut("привет", 4, "прив");
    check_cut("cafe\u{301}s", 4, "caf");
    check_cut("cafe\u{301}s", 5, "cafe\u{301}");
    check_cut("a👨\u{200D}👩\u{200D}👧b", 5, "a");
    check_cut("a👨\u{200D}👩\u{200D}👧b", 6, "a👨\u{200D}👩\u{200D}👧");
    check_cut("🇩🇪🇫🇷", 3, "🇩🇪");
    check_cut("a\r\nb", 2, "a");
    check_cut("ที่นี่", 2, "");
    assert_eq!(char_count("👍🏽é"), 3);
}

/// Whatever stands at the cut, it is where a walk over all clusters from the beginning stops.
#[test]
fn a_cut_is_where_a_walk_from_the_start_stops() {
    let odd = [
        "🇩🇪🇫🇷🇮🇹x",
        "क्षत्रिय",
        "각ㄱㅏㄱ",
        "e\u{301}\u{302}\u{303}f",
        "\r\r\n\n",
        "👩🏽\u{200D}🚀\u{FE0F}\u{200D}a",
        "\u{301}a",
    ];
    for text in odd.map(|text| text.repeat(3)) {
        for max in 0..=char_count(&text) {
            let mut walked = 0;
            for cluster in text.graphemes(true) {
                if char_count(&text[..walked]) + char_count(cluster) > max {
                    break;
                }
                walked += cluster.len();
            }
            assert_eq!(truncate_chars(&text, max), &text[..walked], "{text} at {max}");
        }
    }
}

#[test]
fn grams_slide_over_normalised_text() {
    assert_eq!(grams("  AbC d", 3), ["abc", "bc ", "c d"]);
    assert_eq!(grams("мяу", 2), ["мя", "яу"]);
    assert_eq!(grams("猫", 2), ["猫"]);
    assert_eq!(grams("ab", 2), ["ab"]);
    assert_eq!(grams("ab", 0), [""; 0]);
    assert_eq!(grams(" \n", 3), [""; 0]);
    assert_eq!(grams(&"x".repeat(MAX_GRAM + 2), usize::MAX), vec!["x".repeat(MAX_GRAM); 3]);
}
