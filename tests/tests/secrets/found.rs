//! Each shape in each place.

use hermes_host::guard::Redactor;

use crate::corpus::{Sample, all};

/// Where a token may stand: before and behind it.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    ("my key is ", ", do not tell"),
    ("(", ")."),
    ("мой ключ ", ", никому"),
    ("ключ", "ключ"),
    ("我的密钥是", "。"),
    ("คีย์ของฉัน", "ครับ"),
    ("{\"text\": \"", "\"}"),
    ("{\"text\": \"line\\n", "\\nnext\"}"),
    ("{\\\"text\\\": \\\"", "\\\"}"),
    ("https://x.example/?a=1&k=", "&b=2"),
    ("https://x.example/?q=%22", "%22"),
    ("$ echo $KEY\n", "\n$ "),
    ("```\n", "\n```"),
    ("| `", "` |"),
    ("<b>", "</b>"),
    ("[link](", ")"),
    ("key_", ""),
];

/// What is left of a secret that may not be: a run of a third of it, and at least eight letters.
fn rest_of(secret: &str, text: &str) -> Option<String> {
    let letters: Vec<_> = secret.chars().collect();
    let len = (letters.len() / 3).max(8).min(letters.len());
    letters.windows(len).map(|part| part.iter().collect()).find(|part: &String| text.contains(part))
}

fn check(redactor: &Redactor, sample: &Sample, text: &str, missed: &mut Vec<String>) {
    let once = redactor.redact(text);
    if rest_of(&sample.secret, &once).is_some() {
        missed.push(format!("{}: {text:?} became {once:?}", sample.name));
    } else if redactor.redact(&once) != once {
        missed.push(format!("{}: a second pass changes {once:?}", sample.name));
    }
}

#[test]
fn no_secret_survives_anywhere() {
    let (redactor, samples) = (Redactor::default(), all());
    let mut missed = Vec::new();
    let mut tried = 0;
    for sample in &samples {
        let places = if sample.is_token { PLACES } else { &PLACES[..2] };
        for (before, behind) in places {
            // What is known by its form alone has to begin where the form does.
            if *before == "key_" && ["discord", "mailchimp", "airtable"].contains(&sample.name) {
                continue;
            }
            let behind = if sample.is_token || before.is_empty() { behind } else { "" };
            check(&redactor, sample, &format!("{before}{}{behind}", sample.text), &mut missed);
            tried += 1;
        }
    }
    assert!(missed.is_empty(), "{} of {tried}:\n{}", missed.len(), missed.join("\n"));
    println!("{} shapes in {tried} texts: none survives", samples.len());
    assert!(samples.len() >= 80);
}

#[test]
fn nothing_hides_behind_what_cannot_be_seen_or_is_wider() {
    let redactor = Redactor::default();
    let wide = |text: &str| -> String {
        let widen = |c: char| if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xFEE0) } else { None };
        text.chars().map(|c| widen(c).unwrap_or(c)).collect()
    };
    let mut missed = Vec::new();
    for sample in all().iter().filter(|sample| sample.is_token) {
        for hidden in ['\u{200B}', '\u{200D}', '\u{2060}', '\u{FEFF}', '\u{AD}', '\u{202E}', '\u{E0041}'] {
            let split: String = sample.text.chars().flat_map(|c| [c, hidden]).collect();
            let once = redactor.redact(&split).replace(hidden, "");
            if rest_of(&sample.secret, &once).is_some() {
                missed.push(format!("{} with {hidden:?}: {once:?}", sample.name));
            }
        }
        let once = redactor.redact(&wide(&format!("key {}", sample.text))).into_owned();
        if rest_of(&wide(&sample.secret), &once).is_some() {
            missed.push(format!("{} in full width: {once:?}", sample.name));
        }
    }
    assert!(missed.is_empty(), "{}:\n{}", missed.len(), missed.join("\n"));
}
