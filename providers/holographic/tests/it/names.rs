//! Names in many languages: whatever form a name is asked in and has in a fact, every fact about it is found and no other.

use serde_json::json;

use crate::support::Case;

/// Probes for each name and compares with the numbers (from 1) of the facts that mention it.
#[track_caller]
fn check(facts: &[&str], asked: &[(&[&str], &[i64])]) {
    let case = Case::with(facts);
    let mut wrong = Vec::new();
    for (names, expect) in asked {
        for name in *names {
            let mut found = case.ids(json!({"action": "probe", "entity": name}));
            found.sort_unstable();
            if found != *expect {
                wrong.push(format!("{name}: {found:?} and not {expect:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn english() {
    check(
        &[
            "Margaret Oakes chairs the allotment club.",
            "Dr. Margaret Oakes retired in May.",
            "Ben repaired Margaret's bicycle.",
            "The Oakeses are on holiday.",
            "Ben's cousin bakes bread.",
            "Benedict sings bass.",
            "Paula keeps bees; Paul is allergic to them.",
            "Rose planted roses.",
            "Mr. O'Neill wrote to Ms. Smith-Jones.",
            "Smith fixed the roof.",
        ],
        &[
            (&["Margaret Oakes", "margaret oakes", "Dr. Margaret Oakes", "Mrs Oakes", "Margaret Oakes's"], &[1, 2]),
            (&["Margaret"], &[1, 2, 3]),
            (&["Ben", "Ben's"], &[3, 5]),
            (&["Benedict"], &[6]),
            (&["Paul"], &[7]),
            (&["Rose"], &[8]),
            (&["O'Neill", "O’Neill", "Mr O'Neill"], &[9]),
            (&["Smith-Jones", "Ms. Smith-Jones"], &[9]),
            (&["Wilhelmina"], &[]),
        ],
    );
}

#[test]
fn russian() {
    check(
        &[
            "Маша купила самокат.",
            "Подари Маше книгу.",
            "У Маши аллергия на пыль.",
            "Павел дружит с Машей и Лёшей.",
            "Письмо от Павла пришло вчера.",
            "Лёша чинит велосипед Павлу.",
            "Господин Достоевский приедет к Любови Орловской.",
            "С Достоевским говорила Любовь Орловская.",
            "Марина Котова любит море.",
            "Марину Котову ждут в Твери.",
            "Встреча с Ильёй Чеховым перенесена.",
            "Илье Чехову нужен новый паспорт.",
        ],
        &[
            (&["Маша", "Маши", "Маше", "Машу", "Машей"], &[1, 2, 3, 4]),
            (&["Павел", "Павла", "Павлу", "Павлом"], &[4, 5, 6]),
            (&["Лёша", "Леша", "Лёши"], &[4, 6]),
            (&["Достоевский", "Достоевского", "г-н Достоевский"], &[7, 8]),
            (&["Любовь Орловская", "Любови Орловской"], &[7, 8]),
            (&["Марина Котова", "Марине Котовой"], &[9, 10]),
            (&["Илья Чехов", "Ильи Чехова", "Илью Чехова"], &[11, 12]),
            (&["Тверь"], &[10]),
        ],
    );
}

#[test]
fn german_and_turkish() {
    check(
        &[
            "Frau Dr. Hannelore Busch leitet das Archiv.",
            "Hannelores Garten ist groß.",
            "Das Auto von Herrn Jakob Wirth ist rot.",
            "Jakobs Schwester wohnt in Bern.",
            "Hans' Fahrrad steht im Keller.",
            "Wir treffen uns in der Böckstraße.",
        ],
        &[
            (&["Hannelore", "Hannelores", "Frau Hannelore"], &[1, 2]),
            (&["Hannelore Busch", "Frau Dr. Busch", "Busch"], &[1]),
            (&["Jakob", "Jakobs"], &[3, 4]),
            (&["Herr Wirth", "Herrn Wirth"], &[3]),
            (&["Hans"], &[5]),
            (&["Böckstraße"], &[6]),
        ],
    );
    check(
        &[
            "Defne İzmir'e gidiyor.",
            "Defne'nin kedisi hasta.",
            "Sayın Orhan Bey toplantıda.",
            "Orhan'dan mektup geldi.",
            "Iğdır'da hava soğuk.",
        ],
        &[
            (&["Defne", "Defne'nin", "Defne'ye"], &[1, 2]),
            (&["Orhan", "Orhan'ı", "Orhan Bey", "Sayın Orhan"], &[3, 4]),
            (&["İzmir", "İzmir'de"], &[1]),
            (&["Iğdır"], &[5]),
        ],
    );
}

#[test]
fn chinese_japanese_korean_and_thai() {
    check(
        &["冯雪住在昆明。", "冯雪女士喜欢爬山。", "高远是冯雪的邻居。", "高远老师教数学。", "高远大的计划失败了。"],
        &[(&["冯雪", "冯雪女士", "冯雪小姐"], &[1, 2, 3]), (&["高远老师", "高远先生"], &[3, 4, 5]), (&["昆明"], &[1])],
    );
    check(
        &[
            "森田さんは神奈川に住んでいます。",
            "森田健二はお茶が好きです。",
            "森田様からの手紙です。",
            "岡部先生と森田くんが来ます。",
        ],
        &[
            (&["森田", "森田さん", "森田様", "森田君"], &[1, 2, 3, 4]),
            (&["森田健二", "森田健二さん"], &[2]),
            (&["岡部先生", "岡部"], &[4]),
        ],
    );
    check(
        &[
            "최유진 씨는 울산에 삽니다.",
            "최유진은 고양이를 키웁니다.",
            "유진이 전화했다.",
            "박지훈 선생님이 최유진을 만났다.",
        ],
        &[(&["최유진", "최유진 씨", "최유진님", "최유진이"], &[1, 2, 4]), (&["박지훈", "박지훈 선생님"], &[4])],
    );
    check(
        &["คุณสุดาอาศัยอยู่ที่ตาก", "สุดาชอบกาแฟ", "ฝากของให้คุณสุดาด้วย", "คุณวีระเป็นครู"],
        &[(&["สุดา", "คุณสุดา"], &[1, 2, 3]), (&["คุณวีระ", "วีระ", "นายวีระ"], &[4])],
    );
}

#[test]
fn arabic_script_greek_and_hindi() {
    check(
        &[
            "مریم در رشت کار می‌کند.",
            "خانم مریم معلم است.",
            "Ο Νίκος μένει στο Βόλο.",
            "Η κόρη του Νίκου σπουδάζει.",
            "राहुल पुणे में रहता है।",
        ],
        &[(&["مریم", "خانم مریم"], &[1, 2]), (&["राहुल"], &[5])],
    );
}

#[test]
fn things_have_names_too() {
    check(
        &[
            "The backup runs on db-3.internal.example.net at night.",
            "Send invoices to billing@acme.example.",
            "The parser lives in github.com/acme/fast-parser.",
            "acme/fast-parser needs Rust 1.89.",
            "Logs go to /var/log/atlas/today.log.",
            "Atlas 2.4.1 broke the import.",
            "He read “The Long Way” twice.",
            "Sie liest »Der Weg« gern.",
            "彼女は『雪国』を読んだ。",
        ],
        &[
            (&["db-3.internal.example.net"], &[1]),
            (&["billing@acme.example"], &[2]),
            (&["acme/fast-parser"], &[3, 4]),
            (&["/var/log/atlas/today.log"], &[5]),
            (&["Atlas"], &[5, 6]),
            (&["Atlas 2.4.1"], &[6]),
            (&["The Long Way"], &[7]),
            (&["Der Weg"], &[8]),
            (&["雪国"], &[9]),
        ],
    );
}

#[test]
fn other_names_of_the_same_are_followed() {
    check(
        &[
            "Katharina Moll, aka Kitty, plays the cello.",
            "Kitty is left-handed.",
            "Katharina Moll owns a kayak.",
            "Сергей Дягин, он же Серый, чинит мопеды.",
            "Серому нужен шлем.",
            "李建国，又名老李，是邻居。",
            "老李喜欢钓鱼。",
            "Friedrich Amsel, genannt Fritz, backt Brot.",
            "Fritz mag Äpfel.",
        ],
        &[
            (&["Kitty", "Katharina Moll"], &[1, 2, 3]),
            (&["Серый", "Сергей Дягин", "Сергея Дягина"], &[4, 5]),
            (&["老李", "李建国"], &[6, 7]),
            (&["Fritz", "Friedrich Amsel"], &[8, 9]),
        ],
    );
}

#[test]
fn the_user_can_say_that_two_names_are_one() {
    let case = Case::with(&["Robert Quist sails.", "Bobby cooks.", "Anna swims."]);
    let probe = |name: &str| {
        let mut found = case.ids(json!({"action": "probe", "entity": name}));
        found.sort_unstable();
        found
    };
    assert_eq!(probe("Bobby"), [2]);
    let answer = case.store(json!({"action": "alias", "entity": "Robert Quist", "alias": "Bobby"}));
    assert_eq!(answer["status"], "added");
    assert_eq!((probe("Bobby"), probe("Robert Quist")), (vec![1, 2, 4], vec![1, 2, 4]));
    case.store(json!({"action": "remove", "fact_id": answer["fact_id"]}));
    assert_eq!(probe("Bobby"), [2], "an alias is forgotten like any fact");
}

#[test]
fn reason_goes_through_what_two_names_share() {
    let case = Case::with(&[
        "Wanda Pike plays in the Harbour Choir.",
        "Otto Lenk conducts the Harbour Choir.",
        "Wanda Pike likes plums.",
        "Otto Lenk likes chess.",
        "Wanda Pike mentors Jules Roy.",
    ]);
    let mut linked = case.ids(json!({"action": "reason", "entities": ["Wanda Pike", "Otto Lenk"]}));
    linked.sort_unstable();
    assert_eq!(linked, [1, 2], "nobody named both, so what leads from one to the other");
    assert_eq!(case.ids(json!({"action": "reason", "entities": ["Wanda", "Jules Roy"]}))[0], 5);
}
