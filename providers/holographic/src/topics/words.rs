//! The words of the topics of [`super`]: general words of each language, in the forms that they have in sentences.

/// What people tell an assistant about one thing.
#[cfg_attr(not(test), expect(dead_code, reason = "what the file of terms is made of"))]
pub(super) struct Entry {
    /// Words of facts and of questions.
    pub(super) words: &'static str,
    /// Words of questions alone.
    pub(super) asked: &'static str,
    /// Words of facts alone: too general to ask for.
    pub(super) told: &'static str,
    /// Phrases whose words mean something else alone.
    pub(super) idioms: &'static [&'static str],
}

pub(super) const TOPICS: &[Entry] = &[
    Entry {
        words: "live lives lived living reside resides residence home house flat apartment city town village address \
                moved settled based neighbourhood rent rents живёт живут жить жила проживает квартира квартиру дом \
                город городе адрес переехал переехала снимает поселился поселилась обосновался обосновалась 住在 居住 搬到 \
                搬家 城市 住址 定居 住处 住んで 住む 住まい 暮らし 自宅 引っ越 在住 住所 wohnt wohnen lebt leben Wohnung Wohnort Haus Stadt \
                Adresse gezogen umgezogen zuhause Zuhause Wohnsitz vive viven vivir reside casa piso apartamento \
                ciudad domicilio dirección mudó habite habiter vit vivre réside maison appartement ville adresse \
                déménagé domicile logement yaşıyor yaşar yaşamak oturuyor ikamet ev evi şehir şehri adres adresi \
                taşındı อาศัย อยู่ที่ พักอยู่ บ้าน ที่อยู่ ย้ายไป เมือง زندگی ساکن خانه آپارتمان شهر آدرس اقامت منزل",
        asked: "where где куда 哪里 哪儿 どこ wo wohin dónde où nerede nereye ที่ไหน کجا",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "born birth birthplace grew grow raised native hometown childhood origin roots upbringing родом \
                родился родилась вырос выросла родина родине детство происхождение корни приехала приехал уроженец \
                уроженка 出生 长大 来自 家乡 老家 故乡 生于 籍贯 出身 生まれ 育ち 育った 故郷 実家 geboren aufgewachsen stammt Herkunft Heimat \
                Heimatstadt Kindheit Geburtsort nació nacido nacida creció crecido origen oriundo infancia natal né \
                née naquit grandi origine originaire enfance natal natale doğdu doğumlu büyüdü memleket memleketi \
                aslen kökeni çocukluğu เกิด เติบโต โตที่ บ้านเกิด ภูมิลำเนา متولد بزرگ زادگاه اهل اصالت کودکی",
        asked: "откуда woher nereli คนที่ไหน",
        told: "",
        idioms: &["grow up", "grew up", "come from", "comes from", "kommt aus", "de dónde es", "d'où vient"],
    },
    Entry {
        words: "job work works worked working profession professional occupation career position role trade работа \
                работает работать профессия профессии должность специальность карьера трудится служит 工作 职业 从事 职位 上班 \
                行业 仕事 職業 働い 勤め 職種 勤務 arbeitet arbeiten Arbeit Beruf beruflich Job Stelle tätig trabaja trabajar \
                trabajo profesión oficio empleo puesto dedica ejerce travaille travailler travail métier profession \
                emploi poste exerce çalışıyor çalışır çalışmak iş işi meslek mesleği görev ทำงาน อาชีพ งาน ตำแหน่ง \
                เป็นหมอ شغل کار کارش حرفه پیشه مشغول سمت",
        asked: "кем",
        told: "",
        idioms: &[
            "for a living",
            "does for work",
            "do for work",
            "de qué trabaja",
            "dans la vie",
            "ne iş yapıyor",
            "ne iş yapar",
        ],
    },
    Entry {
        words: "company employer employed employs work works firm organisation organization business startup office \
                hired joined colleague staff компания компании компанию фирма фирме работодатель организация взяли \
                устроился устроилась коллега коллеги офис стартап сотрудник 公司 单位 雇主 同事 入职 任职 企业 会社 勤務先 企業 同僚 入社 \
                Firma Unternehmen Arbeitgeber angestellt Büro Kollege Kollegin beschäftigt empresa compañía \
                empleador contratado oficina colega entreprise société employeur embauché bureau collègue şirket \
                şirketi şirkette firma firmada işveren ofis บริษัท นายจ้าง ที่ทำงาน เพื่อนร่วมงาน สำนักงาน شرکت \
                کارفرما اداره استخدام همکار سازمان",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "pet pets animal animals dog puppy cat kitten parrot bird rabbit hamster turtle tortoise fish horse \
                lizard guinea ferret питомец питомца питомцы животное животные собака собаку пёс щенок кот кошка \
                кошку котёнок попугай птица кролик хомяк черепаха рыбка лошадь зверь зверя 宠物 小狗 小猫 养了 一只 一条 动物 ペット \
                飼って 動物 犬を 猫を Haustier Haustiere Tier Tiere Hund Katze Vogel Kaninchen hält mascota mascotas animal \
                perro gato pájaro conejo tortuga animal animaux compagnie chien oiseau lapin tortue evcil hayvan \
                hayvanı hayvanlar köpek köpeği kedi kedisi kuş kuşu tavşan besliyor สัตว์เลี้ยง เลี้ยง หมา สุนัข แมว \
                นก กระต่าย حیوان خانگی سگ گربه پرنده خرگوش",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "name named called nickname зовут имя имени кличка кличку кличке назвал назвала прозвище 名字 叫做 名叫 名前 \
                heißt Name Spitzname llama llamado nombre apodo appelle nom surnom adı adlı isim ismi ชื่อ نام اسم",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "food eat eats eating dish meal cuisine cook cooks lunch dinner breakfast snack recipe favourite \
                favorite loves taste delicious vegetarian vegan drink drinks еда еду ест блюдо блюда кухня готовит \
                приготовить обед ужин завтрак любимое обожает вкусно рецепт пьёт напиток 食物 菜 吃 喜欢吃 美食 爱吃 最爱 料理 口味 \
                食べ 好物 食事 好き 飲み isst essen Essen Gericht Lieblingsessen Speise Mahlzeit kocht Lieblingsgericht trinkt \
                comer comida plato favorito favorita cocina encanta bebe mange manger plat nourriture repas cuisine \
                préféré adore boit yiyor yer yemek yemeği yemek seviyor sevdiği bayılır mutfak içiyor กิน ทาน อาหาร \
                เมนู ชอบกิน ของโปรด ดื่ม غذا غذای می‌خورد خوراک خوردن آشپزی شام ناهار",
        asked: "order заказать hungry голодный",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "hobby hobbies pastime leisure weekend weekends enjoys enjoy interested interests fun sport plays \
                play collects хобби увлекается увлечение увлечения выходным выходные досуг занимается любитель \
                интересы спорт играет собирает коллекционирует 爱好 喜欢 业余 周末 运动 兴趣 玩 趣味 休日 週末 楽しむ 好き 遊び スポーツ Hobby \
                Hobbys Freizeit Wochenende spielt sammelt Interesse interessiert Sport gern gerne afición aficiones \
                pasatiempo gusta ocio juega colecciona deporte disfruta aficionado loisir loisirs passe-temps aime \
                joue collectionne sport passion hobi hobisi hobileri zamanlarında uğraş ilgi oynuyor seviyor sever \
                spor งานอดิเรก ชอบ เล่น เวลาว่าง กีฬา สนใจ วันหยุด سرگرمی علاقه تفریح بازی ورزش فراغت",
        asked: "saturday sunday gift present подарить подарок",
        told: "",
        idioms: &[
            "free time",
            "spare time",
            "свободное время",
            "like doing",
            "for fun",
            "tiempo libre",
            "temps libre",
            "boş zamanlarında ne",
        ],
    },
    Entry {
        words: "language languages speak speaks spoken fluent bilingual tongue native язык языке языки языком \
                говорит владеет знает родной 语言 母语 会说 讲 说话 外语 言語 母語 話せ 話す 語を spricht sprechen Sprache Sprachen \
                Muttersprache fließend habla hablar idioma idiomas lengua materna fluidez parle parler langue \
                langues maternelle couramment konuşuyor konuşur konuşmak dil dili dilleri anadili พูด ภาษา زبان صحبت \
                مسلط حرف مادری",
        asked: "",
        told: "",
        idioms: &["mother tongue", "native language"],
    },
    Entry {
        words: "prefer prefers preference preferred favourite favorite likes picks chooses rather dislikes hates \
                предпочитает предпочтения предпочтение выбирает любит нравится любимый ненавидит вместо 喜欢 偏好 更喜欢 讨厌 \
                偏爱 宁愿 选择 好む 好み 好き 嫌い より方が 選ぶ bevorzugt lieber mag Vorliebe wählt Lieblings hasst prefiere preferir \
                preferencia gusta favorito elige odia préfère préférer préférence aime favori choisit déteste tercih \
                ediyor eder sever favori yerine nefret ชอบ โปรด มากกว่า เลือก เกลียด ترجیح علاقه دوست محبوب متنفر",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "tool tools use uses using used relies software program app editor framework database library \
                everyday инструмент инструментом инструменты пользуется использует программа программой приложение \
                редактор 工具 使用 软件 编辑器 用的 常用 程序 道具 使って 使う ソフト アプリ 愛用 Werkzeug Programm benutzt nutzt verwendet \
                Software Anwendung herramienta herramientas utiliza programa aplicación outil outils utilise emploie \
                logiciel application kullanıyor kullanır araç aracı yazılım program uygulama ใช้ เครื่องมือ โปรแกรม \
                ซอฟต์แวร์ แอป ابزار استفاده نرم‌افزار برنامه",
        asked: "install setup laptop установить ноутбук настроить",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "family wife husband spouse partner married son daughter child children kid kids mother father mom \
                dad brother sister sibling siblings parents семья жена муж супруг супруга женат замужем сын дочь \
                ребёнок дети мать мама отец папа брат сестра родители 家人 妻子 丈夫 儿子 女儿 孩子 父母 结婚 家庭 兄弟 姐妹 家族 妻 夫 息子 娘 \
                子供 両親 結婚 Familie Frau Ehefrau Mann Ehemann verheiratet Sohn Tochter Kind Kinder Mutter Vater Bruder \
                Schwester Eltern familia esposa esposo marido casado casada hijo hija hijos madre padre hermano \
                hermana famille femme épouse mari marié mariée fils fille enfant enfants mère père frère sœur aile \
                ailesi eşi karısı kocası evli oğlu kızı çocuk çocuğu anne annesi baba babası kardeş kardeşi ครอบครัว \
                ภรรยา สามี แต่งงาน ลูกชาย ลูกสาว ลูก แม่ พ่อ พี่ น้อง خانواده همسر زن شوهر متاهل پسر دختر فرزند مادر \
                پدر برادر خواهر",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "birthday age old date anniversary возраст лет дата годовщина рождения 生日 年龄 岁 誕生日 歳 年齢 Geburtstag \
                Alter alt Jahre cumpleaños edad años anniversaire âge ans doğum günü yaş yaşında yaşı วันเกิด อายุ \
                تولد سن سال",
        asked: "when когда 何时",
        told: "",
        idioms: &["how old"],
    },
    Entry {
        words: "meeting meetings appointment schedule calendar deadline standup встреча встречи созвон расписание \
                календарь срок дедлайн 会议 日程 截止 会議 予定 締切 Termin Treffen Besprechung Frist reunión cita agenda plazo \
                réunion rendez-vous échéance toplantı randevu takvim ประชุม นัด กำหนดการ جلسه قرار تقویم مهلت",
        asked: "when когда",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "allergy allergic health doctor medicine medication illness diet аллергия аллергии здоровье врач \
                лекарство болезнь диета 过敏 健康 医生 药 アレルギー 健康 病気 薬 Allergie allergisch Gesundheit Arzt Medikament \
                Krankheit alergia alérgico salud médico medicina enfermedad allergie allergique santé médecin \
                médicament maladie alerji alerjisi sağlık doktor ilaç hastalık แพ้ สุขภาพ หมอ ยา โรค حساسیت سلامت \
                پزشک دارو بیماری",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "phone telephone email mail number contact телефон почта номер контакт 电话 邮箱 号码 電話 メール 番号 Telefon \
                Nummer E-Mail teléfono correo número téléphone courriel numéro telefon numarası e-posta โทรศัพท์ \
                อีเมล เบอร์ تلفن ایمیل شماره",
        asked: "reach связаться",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "travel travels trip flight flies train plane car drives bike holiday vacation visited путешествие \
                поездка ездит летает поезд самолёт машина велосипед отпуск 旅行 旅游 飞机 火车 开车 出差 飛行機 電車 車で 旅 Reise reist \
                Urlaub Flug Zug Auto Fahrrad fährt viaje viaja vuelo tren coche vacaciones voyage voyage vol train \
                voiture vacances vélo seyahat gezi uçak tren araba tatil เดินทาง ท่องเที่ยว เครื่องบิน รถไฟ รถ سفر \
                پرواز قطار ماشین تعطیلات",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "study studies studied studying student university college school degree course major graduated \
                learns learning учится учился училась изучает студент студентка университет институт школа диплом \
                курс окончил окончила 学习 大学 学校 专业 毕业 读书 学生 勉強 学校 専攻 卒業 留学 studiert studieren Studium Universität \
                Hochschule Schule Student lernt Abschluss estudia estudiar estudió universidad escuela carrera \
                estudiante título aprende étudie étudier études université école étudiant diplôme apprend okuyor \
                okudu üniversite üniversitesi okul öğrenci mezun bölümü öğreniyor เรียน มหาวิทยาลัย โรงเรียน \
                นักศึกษา จบ คณะ تحصیل درس دانشگاه مدرسه دانشجو رشته فارغ‌التحصیل",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "music instrument guitar piano violin drums sings song band музыка инструмент гитара пианино скрипка \
                поёт песня группа 音乐 乐器 弹 吉他 钢琴 唱歌 音楽 楽器 弾く 歌 Musik Instrument spielt Gitarre Klavier Geige singt \
                música instrumento toca guitarra canta musique instrument joue guitare chante müzik enstrüman \
                enstrümanı çalıyor çalar gitar piyano şarkı ดนตรี เล่นดนตรี กีตาร์ ร้องเพลง موسیقی ساز گیتار پیانو",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "own owns has possess car belongs владеет имеет принадлежит 拥有 持有 有一 持って besitzt gehört tiene posee \
                possède sahip sahibi var เป็นเจ้าของ دارد صاحب",
        asked: "",
        told: "",
        idioms: &[],
    },
    Entry {
        words: "",
        asked: "when когда 何时 什么时候 いつ wann cuándo quand zaman เมื่อไหร่ کی",
        told: "yesterday today tonight tomorrow last next week weekend month year ago recently monday tuesday \
                wednesday thursday friday saturday sunday january february march april may june july august \
                september october november december summer winter spring autumn вчера сегодня завтра прошлой прошлом \
                неделе месяце году назад недавно понедельник вторник среда четверг пятница суббота воскресенье \
                января февраля марта апреля мая июня июля августа сентября октября ноября декабря летом зимой весной \
                осенью 昨天 今天 明天 上周 下周 去年 明年 上个 下个 昨日 今日 明日 先週 来週 先月 来月 gestern heute morgen letzte letzten nächste \
                nächsten Woche Monat Jahr ayer hoy mañana semana mes año hier aujourd'hui demain semaine mois année \
                dün bugün yarın hafta ay yıl geçen gelecek เมื่อวาน วันนี้ พรุ่งนี้ สัปดาห์ เดือน ปี دیروز امروز \
                فردا هفته ماه",
        idioms: &[],
    },
    Entry {
        words: "",
        asked: "many often сколько 多少 几个 いくつ 何人 wieviel viele cuántos cuántas combien kaç กี่ چند",
        told: "one two three four five six seven eight nine ten once twice couple dozen hundred один одна два две \
                три четыре пять шесть семь восемь девять десять дважды 一个 两个 三个 两只 三只 eins zwei drei vier fünf sechs \
                sieben acht neun zehn dos tres cuatro cinco seis siete ocho nueve diez deux trois quatre cinq sept \
                huit neuf dix iki üç dört beş altı yedi sekiz dokuz หนึ่ง สอง สาม สี่ ห้า یک دو سه چهار پنج",
        idioms: &[],
    },
];
