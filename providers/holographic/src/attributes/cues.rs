//! How the languages say that a thing has a value: "lives in …", «… по профессии», 住在….
//!
//! General words only. `{}` is the value, `/` stands between alternatives of a word, `*` for any ending, `;` between
//! cues; with `?` the value must clearly be a firm or a profession: people also work in towns, and become parents. The words
//! are compared in their normal form (`hermes_text::normalize`).

/// Verbs, in scripts that put spaces between words.
pub(super) const SPACED: &[(&str, &str)] = &[
    (
        "lives in",
        "live/lives/living/reside/resides/residing/dwells in {}; is/are/am living in {}; \
         have/has/owns/rents/bought a/an flat/apartment/house/home/place/condo/studio/room/cottage in {}; \
         shares a/an flat/apartment/house/home/place in {}; lives at {}; \
         moved/relocated to {}; settled/settled down in {}; settled down in {}; is/am/are/'m based in {}; \
         stay/stays/staying in {}; put/puts down roots in {}; flat/apartment/house/place is in {}; rents in {}; makes a/his/her/their home in {}; home is in {}; home is {}; calls {} home; residence is in {}; \
         живет/живут/живу/проживает/проживаю/обитает в/во/на {}; переехал*/перебрал*/поселил*/обосновал* в/во/на {}; \
         житель/жительница/жителем/жительницей {}; осел/осела в/во/на {}; снимает/снимаю/купил/купила квартир*/дом/комнат* в/во/на {}; имеет квартир*/дом в/во {}; \
         в/во/на {} живет/живут/живу/проживает/снимает/обитает; дом/квартира находится в/во/на {}; \
         wohnt/wohne/lebt/lebe/residiert in {}; wohnhaft in {}; in/nach {} gezogen; zog/umgezogen nach {}; in {} zu hause; \
         hat in {} eine/seine/ihre wohnung; lebt/wohnt jetzt in {}; in {} zuhause; in {} ansässig; hat/habe eine/seine/ihre wohnung/bleibe in {}; hat/habe ein haus in {}; \
         {}da/de/ta/te yaşıyor/yaşıyorum/yaşamakta/ikamet; {}'da/'de/'ta/'te oturuyor/oturuyorum; evi {}'da/'de/'ta/'te; yaşamını/hayatını {} sürdürüyor; {}'da/'de/'ta/'te oturmakta; {} taşındı/taşındım/yerleşti; \
         vive/vivo/reside/resido en {}; se mudó/mudo/trasladó a {}; tiene un piso/apartamento en {}; \
         tiene una casa en {}; vit/vis/habite/réside à/en/au/aux/dans {}; demeure à/en {}; habite {}; \
         a déménagé à/en/au {}; a un appartement à/en/au {}; s'est installé/installée à/en/au {}; \
         mora/vive/reside em/no/na {}; vive/abita a/in {}; mieszka w/we {}; woont in {}; mešká/bydlí v {}; \
         {}에/에서 살고/살아/살며/삽니다/산다/거주하고/거주합니다/거주; {}로/으로/에 이사했*/이사갔*/이사왔*; \
         در {} زندگی; ساکن {} است; ساکن {} هست; مقیم {} است; به {} نقل مکان; به {} اسباب",
    ),
    (
        "born in",
        "was/were born in {}; born and raised in {}; born in {}; birthplace is {}; place of birth is {}; \
         родился/родилась в/во/на {}; родил* в/во/на {}; ist/wurde/bin in {} geboren; geboren in {}; {}da/de/ta/te doğdu/doğdum; {} doğumlu; \
         nació/nací en {}; est né/née à/en/au {}; né/née à/en {}; {}에서 태어났*; {} 출생; در {} به دنیا; متولد {} است",
    ),
    (
        "born on",
        "was born on {}; born on {}; родился/родилась {}; geboren am {}; nació el {}; est né/née le {}; \
         birthday is on {}; birthday falls on {}",
    ),
    (
        "grew up in",
        "grew up in {}; was raised in {}; raised in {}; вырос/выросла в/во/на {}; in {} aufgewachsen; wuchs in {} auf; \
         {}da/de/ta/te büyüdü/büyüdüm; creció/se crió en {}; a grandi à/en/au {}; {}에서 자랐*/성장했*; در {} بزرگ",
    ),
    (
        "comes from",
        "comes/hails/originates from {}; is/am originally from {}; is/am from {}; native of {}; \
         родом из/с {}; приехал/приехала из/с {}; kommt/stammt/komme aus {}; aslen {} *; es/soy de {}; vient/viens de {}; \
         {} 출신*; اهل {} است",
    ),
    (
        "job",
        "work/works/working/employed/serves as a/an/the {}; works as {}; works/working for a living as a/an {}; \
         earns/earn/makes/make a/his/her/their living/money as a/an {}; earns/earn his/her/their living as a/an {}; \
         is/am a/an {} by/for profession/trade/training/occupation; is/am {} by profession/trade/occupation; \
         is/am employed as a/an {}; practises/practices/qualified as a/an {}; has a job as a/an {}; got a job as a/an {}; trained as a/an {}; \
         makes a living as a/an {}; \
         работает/работаю/трудится/тружусь/служит/подрабатывает {}; работает/трудится в должности {}; \
         {} по профессии/специальности/образованию; по профессии/специальности/образованию {}; \
         зарабатывает на жизнь {}; выучился/выучилась на {}; освоил/освоила профессию {}; занимает должность {}; устроился/устроилась {}; \
         arbeitet/arbeite als {}; ist/bin {} von beruf; ist/bin von beruf {}; von beruf {}; verdient sein/ihr geld als {}; \
         verdient seinen/ihren lebensunterhalt als {}; ist als {} tätig; ist als {} angestellt; \
         {} olarak çalışıyor/çalışmakta/çalışıyorum/görev; geçimini {} olarak; {} olarak görev yapıyor; {}lik/lık/luk/lük yapıyor; \
         trabaja/trabajo/ejerce como/de {}; es/soy {} de profesión; travaille/travaille comme {}; travaille en tant que {}; \
         est/suis {} de métier/profession; exerce le métier de {}; exerce comme {}; trabalha como {}; lavora come {}; \
         pracuje jako {}; werkt als {}; {}로/으로 일하고/일합니다/일해*/일한다; \
         به عنوان {} کار",
    ),
    ("job?", "became a/an {}; стал/стала {}; wurde {}; devenu/devenue {}; {} oldu"),
    (
        "employer",
        "work/works/working/employed at/for {}; is/am employed by/at/with {}; has/holds a job/position/post at/with {}; \
         got/landed/found a job/position at/with {}; got/found work at/with {}; on {} payroll; part of the team at {}; member of the staff/team at/of {}; clocks in at {}; joined {}; is on the staff of/at {}; on the staff of {}; is with {}; is an/a employee of/at {}; on the payroll of {}; \
         works at the company {}; got hired by/at {}; was hired by/at {}; hired by {}; took a job at/with {}; \
         draws a/his/her salary from/at {}; gets paid by {}; \
         взяли/приняли/наняли в/во/на {}; нанят/нанята/принят/принята в {}; \
         устроился/устроилась/пришел/пришла/перешел/перешла в/во/на {}; сотрудник/сотрудница/сотрудником/сотрудницей {}; \
         трудоустроен/трудоустроена в {}; получает зарплату в {}; пополнил/пополнила штат {}; числится в {}; состоит в штате {}; в штате {}; \
         arbeitet/arbeite bei/für {}; ist/bin bei {} angestellt/beschäftigt/tätig; angestellt bei {}; beschäftigt bei {}; \
         bei {} angestellt/beschäftigt; arbeitnehmer/mitarbeiter/mitarbeiterin bei/von {}; \
         {} şirketinde/firmasında çalışıyor; {} bünyesinde çalışıyor; \
         trabaja/trabajo para {}; empleado/empleada de/en {}; travaille/travaille chez/pour {}; employé/employée chez/par {}; \
         trabalha na/no/para {}; lavora per/presso {}; pracuje w/dla {}; werkt bij {}; \
         {} 다니고/다닙니다; \
         در شرکت {} کار; در شرکت {} مشغول; کارمند {} است; برای {} کار",
    ),
    (
        "employer?",
        "работает/работаю/трудится/служит в/во/на {}; в/во {} работает/трудится/служит; \
         {}'de/'da/'te/'ta çalışıyor/çalışmakta/çalışıyorum; {}에서 일하고/일합니다/일한다/근무하고/근무합니다/근무; trabaja/trabajo en {}; \
         work/works in {}",
    ),
    (
        "prefers",
        "prefer/prefers/favours/favors/favour/favor {}; always/usually pick/picks/choose/chooses/goes/opt/opts {}; \
         always/usually opts/goes for {}; goes/opts/votes for {}; would rather have/use/take/get/do {}; would rather {}; \
         would always choose/pick/take {}; likes {} better than *; likes {} more than *; preference is {}; picks/chooses {}; \
         has a preference for {}; is partial to {}; is more of a/an {} person; is a/an {} person; always takes/uses/has {}; would pick/choose/take {}; likes {} best; gravitates to/towards/toward {}; would sooner have/take {}; leans towards/toward {}; swears by {}; \
         предпочитает/предпочитаю/предпочтет {}; всегда/обычно выбирает/выбираю/берет {}; выбирает {}; больше любит {}; \
         любит больше {}; больше нравится/нравятся {}; по душе {}; милее {}; делает выбор в пользу {}; склоняется к {}; охотнее/чаще выбирает/берет {}; любит {} больше *; сторонник/сторонница {}; отдает предпочтение {}; скорее выберет/возьмет {}; голосует за {}; \
         bevorzugt/bevorzuge {}; zieht {} vor; wählt/nimmt immer/stets/lieber {}; trinkt/isst/nutzt/liest/fährt/reist/arbeitet lieber {}; mag lieber {}; hat lieber {}; mag {} lieber; \
         {} tercih ediyor/ederim/eder; {} yeğliyor; prefiere/prefiero {}; siempre elige {}; préfère/préfere {}; choisit toujours {}; \
         prefere {}; preferisce {}; woli {}; {} 선호합니다/선호한다/선호해*/선호; {} ترجیح",
    ),
    (
        "age",
        "is/am {} years old; is/am aged {}; turned {}; aged {}; исполнилось {}; {} лет/года/год; ist/bin {} jahre alt; \
         {} yaşında; tiene/tengo {} años; a/ai {} ans; {} 살; {} ساله است; {} سال دارد",
    ),
    (
        "spouse",
        "is/am married to {}; married {}; is/am engaged to {}; замужем за {}; женат/женился на {}; вышла замуж за {}; \
         ist/bin mit {} verheiratet; verheiratet mit {}; {} ile evli; está casado/casada con {}; est marié/mariée à/avec {}",
    ),
    (
        "version",
        "run/runs/use/uses/is/on/at/has/have version/release {}; version/release {}; версии/версию {}; läuft auf version {}; \
         sürüm/sürümü {}; versión {}",
    ),
    (
        "port",
        "listen/listens/run/runs/is/served on port {}; on port {}; слушает порт {}; работает на порту {}; на порту {}; \
         läuft/lauscht auf port {}; auf port {}; escucha en el puerto {}; écoute sur le port {}",
    ),
];

/// Verbs and nouns, in scripts that put none. The subject is what stands before all of it, without its particle.
pub(super) const UNSPACED: &[(&str, &str)] = &[
    (
        "lives in",
        "住在{}; 家在{}; 家住{}; 居住在{}; 在{}生活; 居于{}; 落户{}; 居住于{}; 定居在{}; 定居{}; 搬到了{}; 搬到{}; 搬去了{}; 搬家到{}; 现居{}; 在{}居住; 在{}定居; 在{}安家; 的家在{}; \
         {}に住ん; {}に住み; {}に在住; {}在住; {}で暮らし; {}住まい; {}で生活し; {}に暮らし; {}に引っ越し; {}に移り住; {}に居を構え; {}に家があ; の住まいは{}; の家は{}にあ; \
         อาศัยอยู่ที่{}; อาศัยอยู่ใน{}; อาศัยอยู่{}; พักอยู่ที่{}; พักอาศัยอยู่ที่{}; พักอยู่ใน{}; อยู่ที่{}; บ้านอยู่ที่{}; อาศัยใน{}; มีบ้านที่{}; ปักหลักอยู่ที่{}; พำนักอยู่ที่{}; ตั้งรกรากที่{}; มีบ้านอยู่ที่{}; ย้ายไปอยู่ที่{}; ย้ายไป{}; ย้ายมาอยู่ที่{}; อยู่บ้านที่{}",
    ),
    ("born in", "出生在{}; 出生于{}; 生于{}; {}で生まれ; {}に生まれ; {}生まれ; の出身地は{}; เกิดที่{}; เกิดใน{}"),
    ("born on", "的生日是{}; 生日为{}; の誕生日は{}; の生年月日は{}; เกิดวันที่{}; เกิดเมื่อ{}"),
    ("grew up in", "在{}长大; 成长于{}; {}で育ち; {}で育った; {}育ち; เติบโตที่{}; โตที่{}; เติบโตใน{}"),
    ("comes from", "来自{}; 老家在{}; 老家是{}; {}出身; มาจาก{}; เป็นคน{}"),
    (
        "job",
        "的职业是{}; 的工作是{}; 的职务是{}; 职业为{}; 当{}谋生; 以{}为生; 职业是{}; 以{}为职业; 从事{}工作; 从事{}; \
         {}として働; {}として勤; {}として仕事; の職業は{}; の仕事は{}; の職種は{}; {}を務め; {}を職業に; \
         ทำงานเป็น{}; มีอาชีพเป็น{}; มีอาชีพ{}; ประกอบอาชีพเป็น{}; ประกอบอาชีพ{}; เป็น{}โดยอาชีพ; อาชีพของเขาคือ{}; รับราชการเป็น{}; ยึดอาชีพ{}",
    ),
    ("job?", "คือ{}; 是一名{}; 是一位{}; 是名{}; 是位{}; 担任{}; {}をしてい; {}をやってい"),
    (
        "employer",
        "就职于{}; 任职于{}; 供职于{}; 受雇于{}; 加入了{}; 入职{}; 入职了{}; 在{}任职; 在{}就职; \
         {}に勤め; {}に勤務; {}に就職; {}に入社; {}の社員; {}に所属; の勤務先は{}; の勤め先は{}; \
         ทำงานที่บริษัท{}; ทำงานอยู่ที่บริษัท{}; ทำงานให้{}; ทำงานกับบริษัท{}; เป็นพนักงานของ{}; เป็นพนักงานบริษัท{}",
    ),
    ("employer?", "在{}上班; 在{}工作; {}で働; {}で勤務; ทำงานอยู่ที่{}; ทำงานที่{}"),
    (
        "prefers",
        "更喜欢{}; 比较喜欢{}; 偏好{}; 偏爱{}; 更爱{}; 总是选择{}; 总是选{}; 宁愿{}; 倾向于{}; {}を好み; {}を好む; {}の方が好き; {}のほうが好き; {}を選び; {}を選ぶ; \
         いつも{}を選; ชอบ{}มากกว่า; เลือก{}เสมอ; มักเลือก{}; นิยม{}มากกว่า; ชื่นชอบ{}มากกว่า",
    ),
    ("age", "今年{}岁; {}岁; {}歳; の年齢は{}; อายุ{}ปี; อายุ {}"),
    (
        "spouse",
        "的妻子叫{}; 的妻子是{}; 的丈夫叫{}; 的丈夫是{}; 嫁给了{}; の妻は{}; の夫は{}; แต่งงานกับ{}; ภรรยาชื่อ{}; สามีชื่อ{}",
    ),
    ("version", "的版本是{}; 版本为{}; のバージョンは{}; เวอร์ชัน{}; 使用版本{}"),
    ("port", "的端口是{}; 的端口为{}; 端口为{}; のポートは{}; พอร์ต{}"),
    ("phone", "的电话是{}; 的手机号是{}; 的电话号码是{}; の電話番号は{}; เบอร์โทร{}; เบอร์โทรศัพท์{}"),
    ("email", "的邮箱是{}; 的电子邮件是{}; のメールアドレスは{}; のメールは{}; อีเมล{}"),
    ("native language", "的母语是{}; 母语为{}; の母語は{}; の母国語は{}; ภาษาแม่คือ{}"),
    (
        "favourite dish",
        "最喜欢的菜是{}; 最爱吃{}; 最喜欢吃{}; 最喜欢的食物是{}; の好物は{}; 一番好きな食べ物は{}; อาหารโปรดคือ{}",
    ),
    ("favourite colour", "最喜欢的颜色是{}; 一番好きな色は{}; の好きな色は{}; สีโปรดคือ{}"),
];

/// Nouns of which a thing has one: "the port of X is …", «Порт X — …», "X'in mesleği …".
pub(super) const NOUNS: &[(&str, &str)] = &[
    (
        "job",
        "profession occupation vocation профессия специальность должность beruf mesleği profesión métier 직업은 직업이 شغل",
    ),
    ("job?", "job trade line_of_work day_job работа arbeit işi trabajo"),
    (
        "employer",
        "employer workplace работодатель место_работы arbeitgeber işvereni empleador employeur 직장은 کارفرما",
    ),
    ("lives in", "home flat apartment house place дом квартира wohnung zuhause residence wohnort wohnsitz domicile"),
    ("born in", "birthplace geburtsort"),
    (
        "born on",
        "birthday birthdate день_рождения дата_рождения дню_рождения geburtstag geburtsdatum doğum_günü cumpleaños anniversaire 생일은 تولد",
    ),
    ("age", "age возраст alter yaşı edad âge 나이는 سن"),
    (
        "spouse",
        "wife husband spouse жена жену муж мужа супруга супруг ehefrau ehemann eşi karısı kocası esposa marido épouse mari \
         아내는 남편은 همسر",
    ),
    ("email", "email e-mail почта имейл e-mail-adresse e-postası correo courriel 이메일은 ایمیل"),
    ("phone", "phone telephone телефон telefonnummer telefon telefonu teléfono téléphone 전화번호는 تلفن"),
    ("version", "version версия sürümü versión 버전은 نسخه"),
    ("port", "port порт portu puerto 포트는 پورت"),
    ("address", "address адрес adresse adresi dirección 주소는 آدرس"),
    ("boss", "boss manager supervisor начальник начальника руководитель руководителя chef vorgesetzter patronu jefe"),
    ("branch", "branch ветка zweig dalı rama branche"),
    ("deadline", "deadline дедлайн срок abgabetermin échéance"),
    ("owner", "owner maintainer владелец besitzer propietario propriétaire"),
    ("capital", "capital столица hauptstadt başkenti capitale"),
    ("time zone", "timezone time_zone часовой_пояс zeitzone"),
    ("height", "height рост größe boyu"),
    ("weight", "weight вес gewicht kilosu"),
    ("salary", "salary зарплата gehalt maaşı salario salaire"),
    ("price", "price цена preis fiyatı precio prix"),
    ("budget", "budget бюджет bütçesi presupuesto"),
    ("native language", "mother_tongue native_language родной_язык muttersprache anadili"),
    (
        "favourite dish",
        "favourite_dish favorite_dish favourite_food favorite_food любим*_блюд* любим*_ед* lieblingsessen \
                                    lieblingsgericht plat_préféré comida_favorita",
    ),
    ("favourite colour", "favourite_colour favorite_color любим*_цвет* lieblingsfarbe couleur_préférée color_favorito"),
    ("favourite book", "favourite_book favorite_book любим*_книг* lieblingsbuch"),
    ("favourite film", "favourite_film favorite_movie favourite_movie любим*_фильм* lieblingsfilm"),
];
