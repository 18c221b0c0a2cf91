//! Words of which one excludes the other, whatever the language: dark and light, morning and evening, tea and coffee; and
//! words that say the same in several languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use hermes_text::{normalize, tokens};

use crate::entities::is_unspaced;
use crate::entities::names::List;

/// Each choice has its options; the words of an option mean the same.
const CHOICES: &[&[&str]] = &[
    &[
        "dark night тёмный тёмная тёмную тёмное ночная dunkel dunkles dunklen dunkle koyu karanlık oscuro oscura sombre foncé 深色 暗色 夜间 ダーク 暗い มืด เข้ม 어두운 다크 تیره تاریک",
        "light bright day светлый светлая светлую светлое дневная hell helles hellen helle açık claro clara clair 浅色 亮色 日间 ライト 明るい สว่าง 밝은 라이트 روشن",
    ],
    &[
        "morning mornings early утро утренний утренние утром рано ранний ранние morgen morgens früh frühe sabah sabahları mañana temprano matin tôt 早上 早晨 上午 清晨 朝 午前 เช้า 아침 오전 صبح",
        "noon afternoon afternoons день дневной дневные днём mittag nachmittag nachmittags öğlen öğleden tarde après-midi 下午 中午 午後 昼 บ่าย 오후 بعدازظهر",
        "evening evenings late вечер вечерний вечерние вечером поздний поздно поздние abend abends spät späte akşam akşamları noche soir tard 晚上 傍晚 夜晚 夜 เย็น ค่ำ 저녁 عصر شب",
    ],
    &[
        "short brief concise terse краткий краткие короткий короткие кратко коротко сжатый сжатые kurz kurze kurzen knapp knappe kısa corto corta cortas cortos breve breves court courte courtes bref brèves 简短 简洁 短 短い 簡潔 สั้น กระชับ 짧은 간결 کوتاه",
        "long detailed verbose thorough lengthy подробный подробные длинный длинные развёрнутый развёрнутые подробно lang lange langen ausführlich ausführliche detailliert detaillierte uzun ayrıntılı detaylı largo larga largas largos detallado detalladas long longue longues détaillé détaillées 详细 长 冗长 長い 詳しい 詳細 ยาว ละเอียด 긴 자세한 상세 بلند مفصل",
    ],
    &[
        "tea чай чая tee çay té thé 茶 喝茶 紅茶 お茶 ชา 차 홍차 چای",
        "coffee espresso кофе kaffee kahve café 咖啡 コーヒー กาแฟ 커피 قهوه",
        "cocoa какао kakao cacao 可可 ココア โกโก้ 코코아",
        "juice сок сока saft meyve jugo zumo jus 果汁 ジュース น้ำผลไม้ 주스 آبمیوه",
        "beer пиво bier bira cerveza bière 啤酒 ビール เบียร์ 맥주",
        "wine вино wein şarap vino vin 红酒 葡萄酒 ワイン ไวน์ 와인",
        "water вода воду wasser su agua eau 水 น้ำเปล่า 물 آب",
    ],
    &[
        "train trains rail поезд поезда поезду поездом электричка bahn zug züge tren treni train 火车 高铁 列車 電車 รถไฟ 기차 قطار",
        "plane planes flying flight flights самолёт самолёта самолёту самолётом flugzeug fliegen uçak uçağı avión avion 飞机 飛行機 เครื่องบิน 비행기 هواپیما",
        "car cars driving машина машину машины автомобиль auto autos araba coche voiture 汽车 开车 車 รถยนต์ 자동차 ماشین",
        "bus buses автобус автобуса автобусом otobüs autobús bus 公交 巴士 バス รถเมล์ 버스 اتوبوس",
        "bike bicycle cycling велосипед велосипеда fahrrad rad bisiklet bicicleta vélo 自行车 自転車 จักรยาน 자전거 دوچرخه",
        "walking foot пешком пешая zu fuß yürüyüş andar pied 步行 走路 徒歩 เดิน 도보",
        "metro subway tube метро u-bahn metroyu métro 地铁 地下鉄 รถไฟใต้ดิน 지하철 مترو",
        "taxi taxis такси taksi 出租车 タクシー แท็กซี่ 택시",
    ],
    &[
        "remote remotely wfh home удалённая удалённую удалённо дистанционная дистанционную дом дома из homeoffice zuhause remote uzaktan evden remoto casa télétravail maison distance 远程 在家 リモート 在宅 ระยะไกล ที่บ้าน 원격 재택 دورکاری",
        "office onsite on-site coworking офис офисе офиса офисная büro vor-ort ofis ofiste oficina bureau 办公室 坐班 オフィス 出社 ออฟฟิศ 사무실 دفتر",
    ],
    &[
        "phone call calls telephone звонок звонки звонков телефон телефону anruf anrufe telefon telefonate telefonla llamada llamadas appel appels téléphone 电话 打电话 電話 โทรศัพท์ 전화 تلفن",
        "email emails mail письмо письма писем почта почту почте e-mail e-mails e-posta correo courriel courriels 邮件 电子邮件 メール อีเมล 이메일 ایمیل",
        "chat messages messaging texting slack чат чаты чату сообщения мессенджер мессенджеры nachrichten mesaj mesajlaşma mensajes messages 聊天 短信 消息 チャット แชต แชท 채팅 پیام",
        "video videocall видео видеозвонок видеозвонки видеосвязь videoanruf videoanrufe görüntülü videollamadas visio 视频 ビデオ วิดีโอ 화상 영상",
        "in-person face-to-face лично личные personal persönlich persönliche yüz-yüze 面谈 当面 対面 เจอตัว 대면 حضوری",
    ],
    &[
        "window окно окна fenster fensterplatz pencere ventana fenêtre hublot 靠窗 窗边 窓側 ริมหน้าต่าง 창가 پنجره",
        "aisle проход прохода gang gangplatz koridor pasillo couloir 过道 通路側 ริมทางเดิน 통로 راهرو",
    ],
    &[
        "tabs tab табуляция табуляцию табы tabulator sekme tabulación tabulations 制表符 タブ แท็บ 탭",
        "spaces space пробелы пробелов leerzeichen boşluk espacios espaces 空格 スペース ช่องว่าง 공백",
    ],
    &[
        "summer лето летом летний летние sommer yaz verano été 夏天 夏季 夏 ฤดูร้อน 여름 تابستان",
        "winter зима зимой зиму зимний зимние winter kış invierno hiver 冬天 冬季 冬 ฤดูหนาว 겨울 زمستان",
        "spring весна весной весну frühling frühjahr bahar ilkbahar primavera printemps 春天 春季 春 봄 بهار",
        "autumn fall осень осенью herbst sonbahar otoño automne 秋天 秋季 秋 가을 پاییز",
    ],
    &[
        "cat cats кошка кошки кошек кот коты katze katzen kedi kediler gato gatos chat chats 猫 แมว 고양이 گربه",
        "dog dogs собака собаки собак пёс hund hunde köpek köpekler perro perros chien chiens 狗 犬 สุนัข หมา 개 강아지 سگ",
    ],
    &[
        "paper printed hardback бумажные бумажный бумажная papier gedruckt gedruckte kağıt basılı papel impreso papier 纸质 纸 紙 กระดาษ 종이 کاغذی",
        "ebook ebooks e-book e-books digital electronic kindle электронные электронный электронная цифровые elektronisch digitale e-kitap electrónico numérique 电子 電子 ดิจิทัล 전자 الکترونیکی",
        "audiobook audiobooks audio аудиокниги аудиокнига hörbuch hörbücher sesli audiolibros 有声书 オーディオブック หนังสือเสียง 오디오북",
    ],
    &[
        "sea beach beaches ocean seaside море моря морю морем пляж meer strand deniz plaj mar playa mer plage 海边 大海 海 ทะเล 바다 دریا",
        "mountain mountains hills горы гор горам горах berge gebirge dağ dağlar montaña montagne 山 山区 ภูเขา 산 کوه",
    ],
    &[
        "city town urban город города городу stadt şehir ciudad ville 城市 都会 街 เมือง 도시 شهر",
        "countryside country village rural деревня деревню деревне село land dorf köy campo campagne 乡村 乡下 農村 田舎 ชนบท 시골 روستا",
    ],
    &[
        "formal официальный официальные formell förmlich resmi formal formel 正式 フォーマル ทางการ 격식 رسمی",
        "informal casual неформальный неформальные informell locker samimi informal informel 随意 非正式 カジュアル กันเอง 캐주얼 غیررسمی",
    ],
    &[
        "hot warm горячий горячее горячую тёплый тёплая heiß warm sıcak caliente chaud 热 温かい 熱い ร้อน 뜨거운 گرم",
        "cold iced холодный холодное холодную kalt soğuk frío froid 冷 冰 冷たい เย็นๆ 차가운 سرد",
    ],
    &[
        "sweet сладкое сладкий süß tatlı dulce sucré 甜 甘い หวาน 단",
        "salty savoury savory солёное солёный salzig tuzlu salado salé 咸 しょっぱい เค็ม 짠",
        "spicy hot-food острое острый scharf acılı picante épicé 辣 辛い เผ็ด 매운 تند",
        "mild неострое mild acısız suave doux 清淡 マイルド 순한",
    ],
    &[
        "meat мясо fleisch et carne viande 肉 เนื้อ 고기 گوشت",
        "vegetarian vegetables vegan вегетарианское овощи vegetarisch gemüse vejetaryen sebze vegetariano verduras végétarien légumes 素食 蔬菜 菜食 野菜 มังสวิรัติ ผัก 채식",
    ],
    &[
        "cash наличные наличными bar bargeld nakit efectivo espèces liquide 现金 現金 เงินสด 현금 نقد",
        "card cards credit карта карты картой карту karte karten kart tarjeta carte 刷卡 银行卡 カード บัตร 카드 کارت",
    ],
    &[
        "stairs лестница лестницу лестнице treppe merdiven escaleras escaliers 楼梯 階段 บันได 계단",
        "lift lifts elevator elevators лифт лифту aufzug fahrstuhl asansör ascensor ascenseur 电梯 エレベーター ลิฟต์ 엘리베이터",
    ],
    &[
        "alone solo один одна одному allein allein yalnız solo seul 独自 一人 คนเดียว 혼자 تنها",
        "team group groups together команда команде группа группе team gruppe ekip grup equipo équipe 团队 小组 チーム ทีม 팀 گروه",
    ],
    &[
        "quiet silence тишина тишину тихий тихие ruhig stille sessiz silencio silence calme 安静 静か เงียบ 조용한 سکوت",
        "music loud noisy музыка музыку шумный laut musik gürültülü müzik música bruyant musique 音乐 吵闹 音楽 เสียงเพลง 시끄러운 موسیقی",
    ],
    &[
        "handwritten handwriting pen рукописные ручка ручкой handschriftlich elle-yazılmış manuscrito manuscrit 手写 手書き ลายมือ 손글씨",
        "typed keyboard typing клавиатура клавиатуре getippt tastatur klavye teclado clavier 打字 键盘 キーボード แป้นพิมพ์ 키보드",
    ],
    &[
        "weekly еженедельно еженедельные wöchentlich haftalık semanal hebdomadaire 每周 毎週 รายสัปดาห์ 매주 هفتگی",
        "daily ежедневно ежедневные täglich günlük diario quotidien 每天 每日 毎日 รายวัน 매일 روزانه",
        "monthly ежемесячно ежемесячные monatlich aylık mensual mensuel 每月 毎月 รายเดือน 매월 ماهانه",
    ],
    &["vim vi neovim", "emacs", "vscode", "nano", "helix"],
    &["linux ubuntu debian линукс", "macos mac макось", "windows винда"],
    &["android андроид", "iphone ios айфон"],
    &["metric метрические metrisch metrik métrico métrique 公制 メートル法", "imperial имперские imperial 英制 ヤード"],
    &[
        "left слева левый links sol izquierda gauche 左 ซ้าย 왼쪽 چپ",
        "right справа правый rechts sağ derecha droite 右 ขวา 오른쪽 راست",
    ],
    &[
        "indoor indoors помещение drinnen kapalı interior intérieur 室内 ในร่ม 실내",
        "outdoor outdoors улица улице draußen açık-hava exterior extérieur 户外 室外 屋外 กลางแจ้ง 야외",
    ],
    &[
        "cooking homemade домашняя домашнее selbstgekocht ev-yemeği casera maison-fait 自己做饭 自炊 ทำอาหารเอง 집밥",
        "restaurants takeaway takeout ресторан рестораны доставка lieferdienst restoran restaurante restaurant 外卖 餐馆 外食 ร้านอาหาร 외식",
    ],
];

/// What people work as. The words of a line mean the same.
const PROFESSIONS: &[&str] = &[
    "teacher schoolteacher учитель учительница преподаватель lehrer lehrerin öğretmen maestro maestra profesor profesora enseignant enseignante 教师 老师 教師 先生 ครู 교사 معلم",
    "doctor physician врач доктор arzt ärztin doktor médico médica médecin 医生 医師 แพทย์ หมอ 의사 پزشک",
    "nurse медсестра медбрат krankenschwester krankenpfleger hemşire enfermero enfermera infirmier infirmière 护士 看護師 พยาบาล 간호사 پرستار",
    "lawyer attorney solicitor юрист адвокат anwalt anwältin avukat abogado abogada avocat avocate 律师 弁護士 ทนายความ 변호사 وکیل",
    "engineer инженер ingenieur ingenieurin mühendis ingeniero ingeniera ingénieur 工程师 エンジニア 技師 วิศวกร 엔지니어 مهندس",
    "programmer developer coder программист программистка разработчик entwickler entwicklerin softwareentwickler programmierer yazılımcı programador développeur développeuse 程序员 プログラマー โปรแกรมเมอร์ 개발자 프로그래머 برنامه‌نویس",
    "journalist reporter журналист журналистка репортёр journalistin gazeteci periodista journaliste 记者 記者 นักข่าว 기자 خبرنگار",
    "accountant bookkeeper бухгалтер buchhalter buchhalterin muhasebeci contador contable comptable 会计 会計士 นักบัญชี 회계사 حسابدار",
    "cook chef повар кулинар koch köchin aşçı cocinero cocinera cuisinier cuisinière 厨师 料理人 シェフ พ่อครัว เชฟ 요리사 آشپز",
    "baker пекарь bäcker bäckerin fırıncı panadero boulanger 面包师 パン職人 คนทำขนมปัง 제빵사 نانوا",
    "architect архитектор architekt architektin mimar arquitecto arquitecta architecte 建筑师 建築家 สถาปนิก 건축가 معمار",
    "designer дизайнер designerin tasarımcı diseñador diseñadora 设计师 デザイナー นักออกแบบ 디자이너 طراح",
    "translator interpreter переводчик переводчица übersetzer übersetzerin dolmetscher çevirmen tercüman traductor traductora traducteur traductrice 翻译 翻訳家 通訳 นักแปล 번역가 مترجم",
    "pharmacist chemist аптекарь фармацевт провизор apotheker apothekerin eczacı farmacéutico pharmacien 药剂师 薬剤師 เภสัชกร 약사 داروساز",
    "dentist стоматолог зубной-врач zahnarzt zahnärztin dişçi dentista dentiste 牙医 歯科医 ทันตแพทย์ 치과의사 دندانپزشک",
    "vet veterinarian ветеринар tierarzt tierärztin veteriner veterinario vétérinaire 兽医 獣医 สัตวแพทย์ 수의사 دامپزشک",
    "pilot пилот лётчик pilotin piloto pilote 飞行员 パイロット นักบิน 조종사 خلبان",
    "driver водитель шофёр таксист fahrer fahrerin şoför sürücü conductor chauffeur 司机 運転手 คนขับรถ 운전기사 راننده",
    "carpenter joiner плотник столяр tischler tischlerin schreiner zimmermann marangoz carpintero charpentier menuisier 木匠 大工 ช่างไม้ 목수 نجار",
    "plumber сантехник klempner tesisatçı fontanero plombier 水管工 配管工 ช่างประปา 배관공 لوله‌کش",
    "electrician электрик elektriker elektrikerin elektrikçi electricista électricien 电工 電気工 ช่างไฟฟ้า 전기기사 برقکار",
    "mechanic механик слесарь mechaniker tamirci mecánico mécanicien 机修工 整備士 ช่างเครื่อง 정비사 مکانیک",
    "tailor портной швея schneider schneiderin terzi sastre tailleur couturière 裁缝 仕立屋 ช่างตัดเสื้อ 재단사 خیاط",
    "hairdresser barber парикмахер friseur friseurin kuaför berber peluquero coiffeur coiffeuse 理发师 美容師 ช่างตัดผม 미용사 آرایشگر",
    "farmer фермер landwirt bauer çiftçi agricultor granjero agriculteur 农民 農家 ชาวนา เกษตรกร 농부 کشاورز",
    "gardener садовник gärtner gärtnerin bahçıvan jardinero jardinier 园丁 庭師 ชาวสวน 정원사 باغبان",
    "scientist researcher учёный исследователь wissenschaftler wissenschaftlerin forscher bilim araştırmacı científico investigador chercheur 科学家 研究员 研究者 นักวิจัย นักวิทยาศาสตร์ 연구원 과학자 پژوهشگر",
    "writer author писатель писательница автор schriftsteller autor yazar escritor escritora écrivain 作家 นักเขียน 작가 نویسنده",
    "artist painter художник художница künstler künstlerin maler ressam sanatçı artista pintor peintre artiste 艺术家 画家 芸術家 ศิลปิน จิตรกร 화가 هنرمند نقاش",
    "musician музыкант musiker musikerin müzisyen músico musicien 音乐家 音楽家 นักดนตรี 음악가 نوازنده",
    "photographer фотограф fotograf fotografin fotoğrafçı fotógrafo photographe 摄影师 写真家 ช่างภาพ 사진작가 عکاس",
    "actor actress актёр актриса schauspieler schauspielerin oyuncu actriz acteur actrice 演员 俳優 นักแสดง 배우 بازیگر",
    "police policeman policewoman officer полицейский polizist polizistin polis policía policier 警察 警官 ตำรวจ 경찰관 پلیس",
    "firefighter пожарный feuerwehrmann itfaiyeci bombero pompier 消防员 消防士 นักดับเพลิง 소방관 آتش‌نشان",
    "soldier солдат военный soldat soldatin asker soldado 军人 軍人 ทหาร 군인 سرباز",
    "librarian библиотекарь bibliothekar bibliothekarin kütüphaneci bibliotecario bibliothécaire 图书管理员 司書 บรรณารักษ์ 사서 کتابدار",
    "waiter waitress официант официантка kellner kellnerin garson camarero camarera serveur serveuse 服务员 ウェイター พนักงานเสิร์ฟ 웨이터 گارسون",
    "salesperson seller salesman продавец verkäufer verkäuferin satıcı vendedor vendeur vendeuse 销售员 店員 พนักงานขาย 판매원 فروشنده",
    "manager менеджер управляющий müdür yönetici gerente directeur 经理 マネージャー ผู้จัดการ 매니저 مدیر",
    "secretary assistant секретарь sekretär sekretärin sekreter secretario secrétaire 秘书 秘書 เลขานุการ 비서 منشی",
    "economist экономист ökonom ekonomist economista économiste 经济学家 経済学者 นักเศรษฐศาสตร์ 경제학자 اقتصاددان",
    "psychologist therapist психолог психотерапевт psychologe psychologin psikolog psicólogo psychologue 心理学家 心理医生 心理士 นักจิตวิทยา 심리학자 روانشناس",
    "surgeon хирург chirurg chirurgin cerrah cirujano chirurgien 外科医生 外科医 ศัลยแพทย์ 외과의사 جراح",
    "geologist геолог geologe jeolog geólogo géologue 地质学家 地質学者 นักธรณีวิทยา 지질학자 زمین‌شناس",
    "biologist биолог biologe biologin biyolog biólogo biologiste 生物学家 生物学者 นักชีววิทยา 생물학자 زیست‌شناس",
    "editor редактор redakteur redakteurin editör redactor rédacteur 编辑 編集者 บรรณาธิการ 편집자 ویراستار",
    "welder сварщик schweißer kaynakçı soldador soudeur 焊工 溶接工 ช่างเชื่อม 용접공 جوشکار",
    "builder bricklayer строитель каменщик maurer inşaatçı albañil maçon 建筑工人 建設作業員 ช่างก่อสร้าง 건설노동자 بنا",
    "student студент студентка studentin öğrenci estudiante étudiant étudiante 学生 นักศึกษา นักเรียน 학생 دانشجو",
    "optician оптик optiker optikerin gözlükçü óptico opticien 验光师 眼鏡士",
    "fisherman рыбак fischer balıkçı pescador pêcheur 渔民 漁師 ชาวประมง 어부 ماهیگیر",
    "beekeeper пчеловод imker imkerin arıcı apicultor apiculteur 养蜂人 養蜂家",
    "potter гончар töpfer töpferin çömlekçi alfarero potier 陶工 陶芸家 ช่างปั้น",
    "judge судья richter richterin hakim juez juge 法官 裁判官 ผู้พิพากษา 판사 قاضی",
];

/// Endings of words for those who do something for a living, and words with such an ending that say something else.
const ENDINGS: &str = "er or ist ian ess eer man woman ант ист истка тель тельница лог вед граф щик чик щица ница рь \
                       ologe iker ikerin ist istin eur eurin";
static NO_PROFESSIONS: List = List::new(
    "lover member father mother brother sister daughter speaker owner partner neighbor neighbour person \
                              beginner smoker drinker eater believer user gamer reader swimmer runner riser outsider number \
                              vegetarian christian woman man other newcomer customer supporter follower minor senior junior \
                              survivor visitor teetotaler vegan stranger foreigner volunteer leader winner \
                              дочь мать сестра соседница друг любитель любительница житель жительница родитель носитель \
                              mutter vater bruder schwester tochter raucher nachbar vegetarier besitzer mitglied optimist \
                              pessimist perfectionist feminist atheist pacifist minimalist cyclist tourist \
                              hiker climber skier surfer dancer listener collector character monster winter summer dinner \
                              перфекционист оптимист пессимист атеист календарь словарь январь октябрь",
);
/// What one feels for a thing, for and against.
static FOR: List = List::new(
    "like likes love loves adore adores enjoy enjoys любит люблю обожает нравится mag liebt liebe mögen gern sever seviyor \
                   sev bayılıyor gusta gustan encanta adora aime aimes adore دوست",
);
static AGAINST: List = List::new(
    "hate hates dislike dislikes detest detests loathe loathes despises ненавидит ненавижу терпеть hasst hasse verabscheut \
                       nefret odia detesta déteste hait متنفر",
);
/// Between what is liked better and the other.
static COMPARE: List = List::new(
    "over than to rather instead versus vs above вместо чем а не statt als anstatt anstelle gegenüber en vez lugar de que \
                       plutôt à au",
);

struct Senses {
    /// A stem's choice and option.
    choices: HashMap<String, Vec<(usize, usize)>>,
    professions: HashMap<String, usize>,
}

static SENSES: LazyLock<Senses> = LazyLock::new(|| {
    let mut senses = Senses { choices: HashMap::new(), professions: HashMap::new() };
    for (choice, options) in CHOICES.iter().enumerate() {
        for (option, words) in options.iter().enumerate() {
            for word in words.split(' ') {
                let known = senses.choices.entry(form(word)).or_default();
                if !known.contains(&(choice, option)) {
                    known.push((choice, option));
                }
            }
        }
    }
    for (sense, words) in PROFESSIONS.iter().enumerate() {
        for word in words.split(' ') {
            senses.professions.entry(form(word)).or_insert(sense);
        }
    }
    senses
});

/// A word as it is looked up: its stem, or the word itself where it is several tokens.
fn form(word: &str) -> String {
    let normal = normalize(word);
    match tokens(&normal).as_slice() {
        [one] if !is_unspaced(&normal) => one.stem.clone(),
        _ => normal,
    }
}

/// The choices that a word decides, with what it decides for.
pub(super) fn options(word: &str) -> Vec<(usize, usize)> {
    SENSES.choices.get(&form(word)).cloned().unwrap_or_default()
}

/// The options that are named in a text without spaces: the longest word at each place.
pub(super) fn options_within(text: &str) -> Vec<(usize, usize)> {
    let within = |word: &&String| is_unspaced(word) && text.contains(word.as_str());
    SENSES.choices.iter().filter(|(word, _)| within(word)).flat_map(|(_, options)| options.clone()).collect()
}

/// What a profession means, alike in all languages.
pub(super) fn profession(word: &str) -> Option<usize> {
    SENSES.professions.get(&form(word)).copied()
}

/// Whether a word looks like a profession and is none.
pub(super) fn is_no_profession(word: &str) -> bool {
    NO_PROFESSIONS.has(word)
}

/// Whether a word names a profession.
pub(super) fn is_profession(word: &str) -> bool {
    let long = word.chars().count() > 4;
    profession(word).is_some() || (long && ENDINGS.split(' ').any(|ending| word.ends_with(ending)))
}

/// 1 for a word of liking, -1 for one of disliking.
pub(super) fn feeling(word: &str) -> Option<i8> {
    if FOR.has(word) { Some(1) } else { AGAINST.has(word).then_some(-1) }
}

/// Whether what follows a word was not chosen.
pub(super) fn compares(word: &str) -> bool {
    COMPARE.has(word)
}
