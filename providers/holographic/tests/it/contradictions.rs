//! Pairs of facts that cannot both be so, and neighbours that can, in many languages and wordings.
//!
//! All facts of a language are in one store. `!` stands before a fact that contradicts the one above it.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::Case;

/// Stores the lines and compares the pairs that are found with those that are marked; `missed` of them may be missing.
#[track_caller]
fn check(lines: &str, missed: usize) {
    let case = Case::new();
    let mut planted = BTreeSet::new();
    let mut before = 0;
    let mut texts = vec![String::new()];
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let id = case.add(line.trim_start_matches("! "));
        texts.push(line.to_owned());
        if line.starts_with('!') {
            planted.insert((before, id));
        }
        before = id;
    }
    let answer = case.store(json!({"action": "contradict"}));
    let found: BTreeSet<(i64, i64)> = answer["contradictions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            let [a, b] = ["fact_a", "fact_b"].map(|side| pair[side]["fact_id"].as_i64().unwrap());
            assert_eq!(pair["newer"], a.max(b));
            (a.min(b), a.max(b))
        })
        .collect();
    let told = |pairs: Vec<&(i64, i64)>| -> Vec<String> {
        let text = |id: i64| texts[usize::try_from(id).unwrap()].clone();
        pairs.iter().map(|(a, b)| format!("{} / {}", text(*a), text(*b))).collect()
    };
    let missing = told(planted.difference(&found).collect());
    let wrong = told(found.difference(&planted).collect());
    assert!(wrong.is_empty() && missing.len() <= missed, "{answer}\nmissing {missing:#?}\nwrong {wrong:#?}");
}

#[test]
fn english() {
    check(
        "Priya Nair resides in Mumbai.
         ! Priya Nair moved to Toronto.
         Priya Nair hails from Kochi.
         Priya Nair studied in Delhi.
         Priya Nair visited Boston last year.
         Priya Nair's sister lives in Chicago.
         Tom Baxter earns a living as a plumber.
         ! Tom Baxter's occupation is electrician.
         Tom Baxter is a keen gardener.
         Tom Baxter has a job at Hollis & Sons.
         Tom Baxter's boss is Rita Moss.
         Tom Baxter plays the banjo.
         Tom Baxter plays the fiddle.
         Sofia Marin is on the staff of Tidewater.
         ! Sofia Marin joined Redstone.
         Sofia Marin works from home on Fridays.
         Sofia Marin works with Tom Baxter.
         Sofia Marin speaks Catalan.
         Sofia Marin speaks French.
         Sofia Marin's office is in Leiden.
         Grigor's birthday is 3 May.
         ! Grigor's birthday is 5 May.
         Grigor was raised in Varna.
         Grigor was born in Plovdiv.
         Grigor likes olives.
         ! Grigor does not like olives.
         Grigor likes capers.
         Grigor likes anchovies.
         Hana Sato drinks coffee.
         ! Hana Sato never drinks coffee.
         Hana Sato drinks water.
         Hana Sato favours window seats.
         ! Hana Sato prefers aisle seats.
         Hana Sato would rather have tea than juice.
         Liam owns a rabbit called Fudge.
         Liam owns a goat called Star.
         Liam adores curry.
         Liam is married to Nora.
         ! Liam is married to Beth.
         Liam's email is liam@home.example.
         ! Liam's email is liam@work.example.
         The gateway runs version 2.4.
         ! The gateway runs version 3.0.
         The gateway listens on port 8080.
         ! The gateway listens on port 9090.
         The gateway is written in Rust.
         The user prefers short replies.
         ! The user prefers long replies.
         The user prefers Python.
         The user lives in Ghent.
         ! The user lives in Bruges.
         Omar is 34 years old.
         ! Omar is 41 years old.
         Omar lives in Cairo.
         Omar lives in Cairo near the river.
         Omar was a teacher.
         Omar is a translator.
         Omar hates parsnips.
         ! Omar loves parsnips.
         Vera Lind is a vet.
         Vera Lind is a vet in Malmo.
         Vera Lind and Omar share a garden.
         Vera Lind recommends Cairo to Omar.",
        0,
    );
}

#[test]
fn russian() {
    check(
        "Глеб Рощин проживает в Туле.
         ! Глеб Рощин переехал в Омск.
         Глеб Рощин вырос в Пскове.
         Глеб Рощин родился в Вологде.
         Брат Глеба Рощина живёт в Сочи.
         Глеб Рощин ездил в Париж.
         Зоя Ким трудится бухгалтером.
         ! Профессия Зои Ким — переводчик.
         Зоя Ким говорит по-корейски.
         Зоя Ким говорит по-английски.
         Зоя Ким играет на скрипке.
         Зоя Ким играет в шахматы.
         Тимур устроился в «Вектор Плюс».
         ! Тимур — сотрудник «Сигма Групп».
         Тимур работает из дома по средам.
         Тимур работает вместе с Зоей Ким.
         Начальника Тимура зовут Лев.
         Тимуру 30 лет.
         ! Тимуру 35 лет.
         День рождения Лиды Власовой 3 мая.
         ! День рождения Лиды Власовой 7 июня.
         Лида Власова любит оливки.
         ! Лида Власова не любит оливки.
         Лида Власова любит грибы.
         Лида Власова любит сыр.
         Лида Власова ненавидит кинзу.
         У Лиды Власовой есть хомяк.
         У Лиды Власовой есть кролик.
         Егор Сомов предпочитает чай.
         ! Егор Сомов больше любит кофе, чем чай.
         Егор Сомов предпочитает место у окна.
         ! Егор Сомов предпочитает место у прохода.
         Егор Сомов предпочитает Python.
         Егор Сомов пьёт молоко.
         ! Егор Сомов не пьёт молоко.
         Жену Егора Сомова зовут Алла.
         ! Жену Егора Сомова зовут Инна.
         Пользователь живёт в Твери.
         ! Пользователь живёт в Калуге.
         Пользователь предпочитает короткие ответы.
         ! Пользователь предпочитает длинные ответы.
         Версия шлюза — 2.4.
         ! Версия шлюза — 3.0.
         Порт шлюза — 8080.
         ! Порт шлюза — 9090.
         Шлюз написан на Rust.
         Раиса Белик — врач.
         ! Раиса Белик — повар.
         Раиса Белик — соседка Глеба Рощина.
         В Ялте живёт Марк Дуров.
         ! Живёт Марк Дуров в Анапе.
         Марк Дуров жил в Керчи.
         Марк Дуров читает Чехова.
         Марк Дуров и Раиса Белик вместе бегают.
         Любимый цвет Марка — синий.
         ! Любимый цвет Марка — зелёный.
         Любимая еда Марка — плов.
         Марк Дуров больше не курит.
         ! Марк Дуров курит.",
        0,
    );
}

#[test]
fn german() {
    check(
        "Lotte Kern lebt in Jena.
         ! Lotte Kern ist nach Trier gezogen.
         Lotte Kern kommt aus Linz.
         Lotte Kern ist in Graz geboren.
         Lotte Kern ist in Passau aufgewachsen.
         Lotte Kerns Bruder lebt in Kiel.
         Uwe Falk ist Tischler von Beruf.
         ! Uwe Falk arbeitet als Imker.
         Uwe Falk arbeitet mit Lotte Kern.
         Uwe Falk spielt Geige.
         Uwe Falk spielt Schach.
         Dörte ist bei Nordlicht angestellt.
         ! Dörte arbeitet bei Seewind.
         Dörte spricht Dänisch.
         Dörte spricht Polnisch.
         Dörte ist 30 Jahre alt.
         ! Dörte ist 36 Jahre alt.
         Emil Voss mag Oliven.
         ! Emil Voss mag keine Oliven.
         Emil Voss mag Käse.
         Emil Voss trinkt Kaffee.
         ! Emil Voss trinkt nie Kaffee.
         Emil Voss bevorzugt Tee.
         ! Emil Voss bevorzugt Kaffee statt Tee.
         Emil Voss hat einen Hund.
         Emil Voss hat eine Katze.
         Emils Geburtstag ist der 3. Mai.
         ! Emils Geburtstag ist der 9. Juni.
         Der Benutzer wohnt in Celle.
         ! Der Benutzer wohnt in Husum.
         Der Benutzer bevorzugt kurze Antworten.
         ! Der Benutzer bevorzugt lange Antworten.
         Das Gateway läuft auf Port 8080.
         ! Das Gateway läuft auf Port 9090.
         Ilse Rau ist mit Jan verheiratet.
         ! Ilse Rau ist mit Kai verheiratet.
         Ilse Rau kennt Jena gut.
         Ilse Rau war Lehrerin.",
        0,
    );
}

#[test]
fn turkish() {
    check(
        "Selin Ateş Edirne'de oturuyor.
         ! Selin Ateş Sivas'a taşındı.
         Selin Ateş Muğla'da büyüdü.
         Selin Ateş Van'da doğdu.
         Kerem Tuna'nın mesleği marangoz.
         ! Kerem Tuna terzi olarak çalışıyor.
         Kerem Tuna keman çalıyor.
         Kerem Tuna gitar çalıyor.
         Derya Mavi Şirket'te çalışıyor.
         ! Derya Yeşil Yazılım'da çalışıyor.
         Derya evden çalışmayı seviyor.
         Derya zeytin seviyor.
         ! Derya zeytin sevmiyor.
         Derya peynir seviyor.
         Onur Tan kahve içiyor.
         ! Onur Tan kahve içmiyor.
         Onur Tan çayı kahveye tercih ediyor.
         Onur Tan pencere kenarını tercih ediyor.
         Onur Tan 30 yaşında.
         ! Onur Tan 34 yaşında.
         Onur Tan'ın bir kedisi var.
         Onur Tan'ın bir köpeği var.
         Onur Tan'ın doğum günü 3 Mayıs.
         ! Onur Tan'ın doğum günü 8 Haziran.
         Kullanıcı kısa yanıtları tercih ediyor.
         ! Kullanıcı uzun yanıtları tercih ediyor.
         Kullanıcı Kars'ta yaşıyor.
         ! Kullanıcı Ordu'da yaşıyor.",
        1,
    );
}

#[test]
fn chinese() {
    check(
        "周婷家在武汉。
         ! 周婷搬到了长沙。
         周婷出生在合肥。
         周婷在济南长大。
         周婷去过巴黎。
         吴刚的职业是木匠。
         ! 吴刚是一位电工。
         吴刚会弹吉他。
         吴刚会拉小提琴。
         郑洁在蓝海公司工作。
         ! 郑洁就职于红杉科技。
         郑洁在家工作。
         郑洁会说法语。
         郑洁会说日语。
         郑洁的生日是5月3日。
         ! 郑洁的生日是6月8日。
         孙磊喜欢橄榄。
         ! 孙磊不喜欢橄榄。
         孙磊喜欢奶酪。
         孙磊喝咖啡。
         ! 孙磊不喝咖啡。
         孙磊更喜欢喝茶。
         ! 孙磊更喜欢喝咖啡，不喜欢喝茶。
         孙磊30岁。
         ! 孙磊35岁。
         孙磊养了一只鸭子。
         孙磊养了一匹马。
         用户住在厦门。
         ! 用户住在宁波。
         用户偏好简短的回答。
         ! 用户偏好详细的回答。
         网关的端口是8080。
         ! 网关的端口是9090。
         网关的版本是2.4。
         ! 网关的版本是3.0。
         马丽和孙磊是邻居。
         马丽的妻子叫小红。",
        0,
    );
}

#[test]
fn japanese() {
    check(
        "小林翔さんは広島で暮らしています。
         ! 小林翔さんは長崎に引っ越しました。
         小林翔さんは金沢で生まれました。
         小林翔さんは秋田で育ちました。
         小林翔さんは奈良を訪れました。
         加藤葵さんの職業は大工です。
         ! 加藤葵さんは薬剤師をしています。
         加藤葵さんはピアノを弾きます。
         加藤葵さんはギターを弾きます。
         吉田蓮さんは青空商事に勤めています。
         ! 吉田蓮さんは緑川工業で働いています。
         吉田蓮さんはフランス語を話します。
         吉田蓮さんはドイツ語を話します。
         吉田蓮さんの誕生日は5月3日です。
         ! 吉田蓮さんの誕生日は6月8日です。
         松本陽菜さんはオリーブが好きです。
         ! 松本陽菜さんはオリーブが嫌いです。
         松本陽菜さんはチーズが好きです。
         松本陽菜さんはコーヒーを飲みます。
         ! 松本陽菜さんはコーヒーを飲みません。
         松本陽菜さんはコーヒーより紅茶を好みます。
         松本陽菜さんは30歳です。
         ! 松本陽菜さんは35歳です。
         ユーザーは富山に住んでいます。
         ! ユーザーは鳥取に住んでいます。
         ユーザーは短い回答を好みます。
         ! ユーザーは長い回答を好みます。
         ゲートウェイのポートは8080です。
         ! ゲートウェイのポートは9090です。",
        0,
    );
}

#[test]
fn thai() {
    check(
        "คุณอรุณ สายลมพักอยู่ที่ตรัง
         ! อรุณ สายลมย้ายไปอยู่ที่น่าน
         อรุณ สายลมเกิดที่เลย
         อรุณ สายลมเติบโตที่แพร่
         ปิติ แสงดาวมีอาชีพเป็นช่างไม้
         ! ปิติ แสงดาวประกอบอาชีพช่างไฟฟ้า
         ปิติ แสงดาวเล่นเปียโน
         ปิติ แสงดาวพูดภาษาฝรั่งเศส
         ปิติ แสงดาวพูดภาษาจีน
         คุณดวงใจทำงานที่บริษัทฟ้าใส
         ! คุณดวงใจทำงานที่บริษัทดินแดง
         คุณดวงใจชอบมะกอก
         ! คุณดวงใจไม่ชอบมะกอก
         คุณดวงใจชอบเนยแข็ง
         คุณดวงใจอายุ 30 ปี
         ! คุณดวงใจอายุ 35 ปี
         ผู้ใช้อาศัยอยู่ที่สตูล
         ! ผู้ใช้อาศัยอยู่ที่ยะลา",
        0,
    );
}

#[test]
fn spanish_french_korean_and_persian() {
    check(
        "Lucía Prado vive en Cádiz.
         ! Lucía Prado se mudó a Burgos.
         Lucía Prado nació en Huesca.
         Iván Rey trabaja como carpintero.
         ! Iván Rey es electricista de profesión.
         Iván Rey bebe café.
         ! Iván Rey no bebe café.
         Élise Morel habite à Nantes.
         ! Élise Morel vit à Dijon.
         Élise Morel est née à Metz.
         Paul Giraud travaille chez Boréal.
         ! Paul Giraud travaille pour Mistral.
         Paul Giraud aime les olives.
         ! Paul Giraud n'aime pas les olives.",
        0,
    );
    check(
        "김서준 씨는 부산에 살고 있습니다.
         ! 김서준 씨는 대전으로 이사했습니다.
         김서준 씨는 광주에서 태어났습니다.
         이하은은 목수로 일합니다.
         ! 이하은의 직업은 요리사입니다.
         이하은은 커피를 마십니다.
         이하은은 차를 마십니다.
         سارا کریمی در شیراز زندگی می‌کند.
         ! سارا کریمی ساکن تبریز است.
         سارا کریمی در یزد به دنیا آمد.
         شغل رضا نجار است.
         ! شغل رضا آشپز است.",
        0,
    );
}

#[test]
fn what_one_person_can_be_at_once() {
    check(
        "Nadia Brook makes her home in Utrecht.
         Nadia Brook's hometown is Exeter.
         Nadia Brook spent her childhood in Exeter.
         Nadia Brook earns her living as a florist.
         Nadia Brook draws her salary from Juniper Works.
         Nadia Brook shares her home with a ferret named Pixel.
         Nadia Brook's go-to tool is Grafana.
         Nadia Brook reaches for Ansible whenever she can.
         Nadia Brook's mother tongue is Welsh.
         Nadia Brook grew up speaking Welsh.
         Nadia Brook would rather work from home.
         Nadia Brook's favourite way to unwind is pottery.
         Nadia Brook is a keen potter.
         Nadia Brook could eat lasagne every day.
         Nadia Brook is a vegetarian.
         Nadia Brook is a mother of two.
         Nadia Brook works in Amsterdam.
         Nadia Brook lives in the Netherlands.
         Nadia Brook and Theo Marsh commute together.
         Theo Marsh sits next to Nadia Brook.
         Theo Marsh has settled in Leiden.
         ! Theo Marsh's home is in Delft.
         Theo Marsh was born in 1984.
         Theo Marsh was born on 4 June.
         Theo Marsh's job is beekeeping.
         Theo Marsh opts for stairs.
         ! Theo Marsh goes for lifts.
         Theo Marsh would rather fly than drive.
         Theo Marsh is paid by Juniper Works.
         Theo Marsh is on the payroll of Juniper Works.
         ! Theo Marsh has a job with Alder Group.
         Wren Castle favours e-books.
         ! Wren Castle prefers printed books.
         Wren Castle is a geologist.
         ! Wren Castle makes a living as a tailor.
         Wren Castle is a tailor's daughter.
         Wren Castle used to live in Lima.
         Wren Castle wants to live in Quito.",
        1,
    );
    check(
        "Дом Лии Рябовой — в Угличе.
         Детство Лии Рябовой прошло в Ржеве.
         Лия Рябова выросла в Ржеве.
         На жизнь Лия Рябова зарабатывает шитьём.
         Лия Рябова — сотрудница «Тихий Дол».
         Дома у Лии Рябовой живёт хорёк Пиксель.
         Лия Рябова не расстаётся с Grafana.
         С детства Лия Рябова говорит по-башкирски.
         Лия Рябова — заядлая рыбачка.
         Лия Рябова — мать двоих детей.
         Лия Рябова готова есть лапшу каждый день.
         Лия Рябова работает в Угличе.
         Лия Рябова живёт в России.
         Лия Рябова и Клим Жданов вместе ездят на работу.
         Клим Жданов поселился в Елабуге.
         ! Клим Жданов обосновался в Бугульме.
         Клим Жданов трудится кровельщиком.
         ! Клим Жданов — агроном по специальности.
         Клима Жданова приняли в «Новый Дом».
         ! Клим Жданов числится в «Старый Мост».
         Климу Жданову больше по душе электронные книги.
         Клим Жданов предпочитает лестницу лифту.
         ! Клим Жданов предпочитает лифт лестнице.
         Клим Жданов раньше жил в Лиме.
         Клим Жданов хочет жить в Сочи.",
        1,
    );
}

#[test]
fn one_person_in_two_alphabets() {
    check(
        "Zoya Lapina lives in Oslo.
         ! Зоя Лапина живёт в Риге.
         Зоя Лапина работает врачом.
         Zoya Lapina is a doctor.
         Boris Gusev is a carpenter.
         ! Борис Гусев работает поваром.
         Boris Gusev lives in Samara.
         Борис Гусев живёт в Самаре.
         Timur Belov prefers short answers.
         ! Тимур Белов предпочитает подробные ответы.
         Тимур Белов родом из Пскова.
         Timur Belov lives in Bergen.",
        0,
    );
}

#[test]
fn firms_towns_and_jobs_in_one_sentence() {
    check(
        "Piet Roos is a software developer at Larch Labs.
         ! Piet Roos works at Hazel Labs.
         Piet Roos lives in New Haven.
         ! Piet Roos lives in New Bedford.
         Ines Falk is a nurse at Cobalt Clinic.
         ! Ines Falk works at Cobalt Clinic as a dentist.
         Ines Falk works at Cobalt.
         Ines Falk rents a room in Girona.
         Ines Falk lives in Spain.",
        0,
    );
    check(
        "Инга Зотова служит в театре «Маска».
         ! Инга Зотова перешла в театр «Рампа».
         Савва Лыков работает на заводе «Прогресс».
         ! Место работы Саввы Лыкова — завод «Искра».
         Савва Лыков живёт в Нижнем Тагиле.
         ! Савва Лыков живёт в Нижнем Ломове.",
        0,
    );
}
