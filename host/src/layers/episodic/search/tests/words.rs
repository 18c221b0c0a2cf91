//! What is found by which words.

use proptest::prelude::*;

use super::*;

#[test]
fn words_are_found_in_their_other_forms() {
    let scene = Scene::of(&[
        "We deployed the gateway on Friday",
        "Мы вчера перезапустили сервер",
        "Die Häuser in der Krankenhausverwaltung",
        "les chevaux sont dans le pré",
        "ฉันชอบกินข้าวผัดกุ้ง",
        "كتب الطلاب رسائلهم",
        "دیروز کتاب‌هایم را خریدم",
        "मैंने किताबें खरीदीं",
        "un café con leche",
    ]);
    for (query, name) in [
        ("deploying", "s0"),
        ("gateways", "s0"),
        ("серверы", "s1"),
        ("перезапустил", "s1"),
        ("Haus", "s2"),
        ("Verwaltung", "s2"),
        ("cheval", "s3"),
        ("ข้าวผัด", "s4"),
        ("กุ้ง", "s4"),
        ("الرسائل", "s5"),
        ("کتاب", "s6"),
        ("किताब", "s7"),
        ("cafe", "s8"),
    ] {
        assert_eq!(scene.names(query).first().map(String::as_str), Some(name), "{query}");
    }
}

#[test]
fn each_word_is_looked_up_by_its_own_script() {
    // Case 198: two characters each, joined by OR.
    let scene = Scene::of(&["我住在上海", "外滩很漂亮", "北京也不错", "重启gateway服务", "猫"]);
    let mut found = scene.names("上海 OR 外滩");
    found.sort();
    assert_eq!(found, ["s0", "s1"]);
    // Case 199: a Latin word stuck to Chinese ones.
    scene.finds("gateway", &["s3"]);
    scene.finds("服务", &["s3"]);
    scene.finds("重启 gateway", &["s3"]);
    // One character, alone and in a longer run.
    scene.finds("猫", &["s4"]);
    scene.finds("滩", &["s1"]);
}

#[test]
fn all_that_have_a_word_are_found() {
    // Case 200: what one index finds does not hide what another would.
    let texts: Vec<String> = (0..16)
        .map(|n| match n % 4 {
            0 => format!("上海{n}的天气"),
            1 => format!("weather上海weather {n}"),
            2 => format!("去上海 {n}"),
            _ => format!("{n} 上海"),
        })
        .collect();
    let scene = Scene::of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let ask =
        Discover { query: "上海", filter: &scene.filter, sessions: 50, passages: 1, chars: 100, thorough: false };
    assert_eq!(scene.searcher.discover(&Reader::Owner, &ask).unwrap().sessions.len(), 16);
}

#[test]
fn beginnings_phrases_and_misspellings() {
    let scene = Scene::of(&[
        "the deployment of the new cluster went well",
        "rotate the certificates every month",
        "new York is a cluster of towns",
        "the kubernetes upgrade is done",
    ]);
    scene.finds("deplo*", &["s0"]);
    scene.finds("certif*", &["s1"]);
    // The last word may be unfinished.
    scene.finds("kuber", &["s3"]);
    scene.finds("\"new cluster\"", &["s0"]);
    scene.finds("\"cluster new\"", &[]);
    for typo in ["kubernets", "kuberentes", "kbuernetes", "kubernettes", "cubernetes", "kubernetez"] {
        scene.finds(typo, &["s3"]);
    }
    scene.finds("certifcates", &["s1"]);
    scene.finds("xylophone", &[]);
}

#[test]
fn a_phrase_in_a_question_comes_first_and_hides_nothing() {
    let scene = Scene::of(&[
        "we named the new cluster after a river",
        "the cluster is new, and its name is Volga",
        "a cluster of towns, all of them new",
    ]);
    assert_eq!(scene.names("what is the name of the \"new cluster\"?")[0], "s0");
    assert!(scene.names("what is the name of the \"new cluster\"?").contains(&"s1".to_owned()));
    // As somebody spells it who did not say it.
    assert_eq!(scene.names("what is the name of the \"clusters new\"?")[0], "s1");
}

#[test]
fn pairs_of_characters_stand_together_as_words_do() {
    let scene = Scene::of(&["上海天气好吗说说", "天气好吗说说上海"]);
    scene.finds("上海 天气", &["s0", "s1"]);
    let scene = Scene::of(&["天气好吗说说上海", "上海天气好吗说说"]);
    scene.finds("上海 天气", &["s1", "s0"]);
}

#[test]
fn a_misspelling_that_others_made_too_hides_nothing() {
    let scene = Scene::of(&["the adress is Elm Street 5", "the address is Oak Street 7"]);
    let mut found = scene.names("adress");
    found.sort();
    assert_eq!(found, ["s0", "s1"]);
    let without = Scene::with(Settings { typos: false, ..Settings::default() });
    without.say("s", &[(Role::User, "the kubernetes upgrade")]);
    without.catch_up();
    without.finds("kbuernetes", &[]);
}

#[test]
fn signs_mean_what_they_are() {
    let texts = [
        "load .env first",
        "never run rm -rf here",
        "it's fine",
        "see C:\\logs for more",
        "TODO: fix the login",
        "mail a@b.c please",
        "issue #12 again",
        "50% done",
        "use --force",
        "🦊 was here",
        "a NEAR(b) AND column:x {y} ^z",
    ];
    let scene = Scene::of(&texts);
    for (at, query) in [
        (0, ".env"),
        (1, "rm -rf"),
        (2, "it's"),
        (3, "C:\\logs"),
        (4, "TODO: fix"),
        (5, "a@b.c"),
        (6, "#12"),
        (7, "50%"),
        (8, "--force"),
        (9, "🦊"),
        (4, "\"login"),
        (10, "column:x"),
        (10, "NEAR"),
    ] {
        assert_eq!(scene.names(query).first(), Some(&format!("s{at}")), "{query}");
    }
    for nothing in ["", " ", "\0", "OR", "AND NOT"] {
        let _ = scene.ask(nothing);
    }
    assert_eq!(scene.names(&format!("login {}", "слово ".repeat(2000))).first().unwrap(), "s4");
    scene.finds(&"x".repeat(10_000), &[]);
}

#[test]
fn what_was_found_is_shown_in_whole_sentences() {
    let long =
        format!("{} The gateway was restarted by Mira. {}", "Nothing here. ".repeat(200), "Nor there. ".repeat(200));
    let scene = Scene::of(&[&long]);
    let found = scene.ask("who restarted gateways");
    let excerpt = &found[0].passages[0].excerpt;
    assert!(excerpt.text.contains("The gateway was restarted by Mira."), "{}", excerpt.text);
    assert!(excerpt.text.chars().count() <= 300 && excerpt.cut_before && excerpt.cut_after);
    assert!(excerpt.text.ends_with('.') && excerpt.text.starts_with("No"), "{}", excerpt.text);
    assert_eq!(scene.marked("who restarted gateways"), ["gateway", "restarted"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Cases 203 to 205: a hundred strings at a time against one archive.
    #[test]
    fn every_string_is_a_legal_query(queries in proptest::collection::vec(strings(), 100)) {
        let scene = Scene::of(&["alpha beta \"gamma\" delta* NEAR OR", "重启gateway服务", "привет, мир", "it's -5% (x:y)"]);
        for query in &queries {
            let found = scene.ask(query);
            // And what it finds is shown as it was said.
            for passage in found.iter().flat_map(|found| &found.passages) {
                for (from, to) in &passage.excerpt.hits {
                    prop_assert!(passage.excerpt.text.get(*from..*to).is_some());
                }
            }
        }
    }
}

fn strings() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "\\PC{0,6}",
        any::<String>(),
        proptest::sample::select(vec![
            "\"", "*", ":", "(", ")", "-", "^", "{", "}", "+", "NEAR(", " OR ", " AND ", " NOT ", "'", "--", "\\",
            "\0", "alpha", "gate", "重启", "мир", "“", "«", "%", "_", "🦊", "a*", "\"beta\"", "[", "]",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}
