//! Messages with nothing to recall for, in every language of the list.

use hermes_text::{TRIVIAL_LANGUAGES, is_command, is_trivial};

#[track_caller]
fn check(messages: &[&str], expect: bool) {
    for message in messages {
        assert_eq!(is_trivial(message), expect, "{message:?}");
    }
}

/// For each language: trivial messages, then messages with content.
const SAMPLES: &[(&str, &[&str], &[&str])] = &[
    ("ar", &["شكرا", "شكراً جزيلاً!", "السلام عليكم", "نعم", "حسنا، شكرا"], &["ما اسم قطتي؟", "شكرا، شغل الخادم"]),
    ("bg", &["Благодаря!", "добре", "здравей"], &["как се казва кучето ми?"]),
    ("bn", &["ধন্যবাদ", "ঠিক আছে", "নমস্কার!"], &["আমার বিড়ালের নাম কী?"]),
    ("cs", &["Děkuji", "dobře, díky!", "ahoj"], &["jak se jmenuje můj pes?"]),
    ("de", &["Danke!", "vielen Dank", "alles klar, danke schön", "ja", "Hallo"], &["ja, aber wie heißt mein Hund?"]),
    ("el", &["Ευχαριστώ πολύ", "ναι", "καλημέρα!"], &["πώς λένε τη γάτα μου;"]),
    (
        "en",
        &[
            "ok",
            "okay thanks!",
            "hi there",
            "HELLO",
            "yes",
            "no",
            "go on",
            "continue",
            "thanks a lot",
            "thx",
            "hi, thanks a lot 👍",
            "okkkk",
            "thaaanks",
            "gooood",
            "Thank you so much for your help!!!",
            "haha",
            "what's up?",
            "K.",
            "yesss",
            "you're welcome",
            "got it, makes sense",
        ],
        &[
            "ok, what is my dog's name?",
            "thanks, now deploy it",
            "my dog",
            "deploy",
            "hi, I am Anna",
            "the team",
            "1",
            "ok 42",
            "c",
            "dog 👍",
            "continue with the parser",
            "no dogs",
            "there",
        ],
    ),
    ("es", &["gracias", "¡Muchas gracias!", "sí", "hola, buenos días", "vale"], &["sí, ¿cómo se llama mi gato?"]),
    (
        "fa",
        &["مرسی", "باشه", "سلام", "خیلی ممنون", "خواهش می\u{200C}کنم", "مرسي"],
        &["اسم گربه من چیست؟", "باشه، سرور را روشن کن"],
    ),
    (
        "fr",
        &["merci", "Merci beaucoup !", "d'accord", "oui", "ça marche, merci"],
        &["oui, comment s'appelle mon chat ?"],
    ),
    ("he", &["תודה רבה", "שלום", "כן, תודה"], &["איך קוראים לחתול שלי?"]),
    ("hi", &["धन्यवाद", "ठीक है", "नमस्ते", "जी हाँ", "बहुत धन्यवाद"], &["मेरी बिल्ली का नाम क्या है?"]),
    ("id", &["terima kasih", "terima kasih banyak!", "baik", "halo"], &["siapa nama kucing saya?"]),
    ("it", &["grazie", "grazie mille!", "va bene, grazie", "ciao"], &["come si chiama il mio gatto?"]),
    (
        "ja",
        &["はい", "ありがとうございます", "こんにちは！", "了解です。ありがとう", "はーい", "はい、わかりました"],
        &["私の猫の名前は？", "はい、猫の名前は？"],
    ),
    (
        "ko",
        &["네", "감사합니다", "네, 감사합니다!", "안녕하세요", "ㅋㅋㅋㅋㅋ", "ㅇㅇ"],
        &["네, 제 고양이 이름이 뭐예요?"],
    ),
    ("nl", &["dank je wel", "bedankt!", "oké, bedankt"], &["hoe heet mijn hond?"]),
    ("pl", &["dziękuję", "dziękuję bardzo", "dobrze, dzięki", "cześć"], &["jak ma na imię mój pies?"]),
    ("pt", &["obrigado", "muito obrigada!", "sim", "tudo bem, valeu"], &["qual é o nome do meu gato?"]),
    (
        "ru",
        &[
            "да",
            "Спасибо большое",
            "привет",
            "понятно",
            "ok, спасибо!",
            "продолжай",
            "нет",
            "ага, всё понятно",
            "хахаха",
            "спасибооо",
            "Добрый день!",
        ],
        &["да, а как зовут кота?", "привет, я Аня", "спасибо, теперь запусти", "кот"],
    ),
    ("sv", &["tack så mycket", "hej", "ja, tack"], &["vad heter min hund?"]),
    ("th", &["ครับ", "ขอบคุณค่ะ", "สวัสดี", "ขอบคุณมากๆ ครับ", "โอเคครับ"], &["แมวของฉันชื่ออะไร", "ทำต่อไม่ได้"]),
    ("tr", &["teşekkürler", "tamam", "Tamam, teşekkür ederim", "İyi günler", "evet"], &["kedimin adı ne?"]),
    ("uk", &["дякую", "дуже дякую!", "привіт", "так, зрозуміло"], &["як звати мого кота?"]),
    ("ur", &["شکریہ", "ٹھیک ہے", "جی ہاں"], &["میری بلی کا نام کیا ہے؟"]),
    ("vi", &["xin chào", "cảm ơn", "cảm ơn bạn nhiều", "vâng ạ"], &["con mèo của tôi tên gì?"]),
    (
        "zh",
        &["好的", "谢谢", "你好", "好的谢谢", "好的，谢谢你！", "好好好", "ok谢谢"],
        &["我的猫叫什么名字", "好的，部署吧"],
    ),
];

#[test]
fn every_language_of_the_list() {
    let mut listed = TRIVIAL_LANGUAGES.to_vec();
    listed.sort_unstable();
    assert_eq!(SAMPLES.iter().map(|sample| sample.0).collect::<Vec<_>>(), listed);
    for (_, trivial, content) in SAMPLES {
        check(trivial, true);
        check(content, false);
    }
}

#[test]
fn nothing_but_signs() {
    check(&["", " \n", "?!", "👍", "👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}", "🇩🇪", "ℹ\u{FE0F}", "\0", "…", ":-)"], true);
}

#[test]
fn other_scripts_and_numbers_are_content() {
    check(&["42", "+1 555 0100", "გამარჯობა კატა", "x=1", "/help", "a.rs", "五"], false);
}

#[test]
fn long_messages_are_judged_at_once() {
    check(&["ok ".repeat(500_000).as_str(), "dog ".repeat(500_000).as_str()], false);
    check(&["k".repeat(5_000_000).as_str(), "👍".repeat(1_000_000).as_str(), &"ha".repeat(70)], true);
    check(&["ok ".repeat(53).as_str()], true);
}

#[test]
fn commands_are_told_from_paths() {
    for command in ["/new", " /memory pending", "/skill-x do it", "/сброс"] {
        assert!(is_command(command), "{command}");
    }
    for text in ["/etc/hosts is broken", "a /new", "/", "/ new", "//", "/1"] {
        assert!(!is_command(text), "{text}");
    }
}
