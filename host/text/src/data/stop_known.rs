//! Function words that are dropped, and told a language by, only where the language is known; sorted.
//!
//! Many of them mean something in another language of the same letters. The short lists at the end add to those of
//! [`super::stop_west`] what had to be left out there.

/// Dutch.
pub(crate) const DUTCH: &str = "\
    aan al als ben bij da dan dat de der deze die dit doch door dus een en er ge geen geweest haar had heb \
    hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me mij mijn moet na \
    naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel \
    voor waar waarom wanneer want waren was wat welk welke werd wie wij worden wordt zal ze zelf zich zij zijn \
    zo zonder zou";

/// Danish.
pub(crate) const DANISH: &str = "\
    af alle at blev blive bliver da de den denne der deres det dette dig din disse dog du efter eller en end \
    er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvilke hvilken hvilket hvis \
    hvor hvordan hvornår i ikke ind jeg jer jo kunne man med meget men mig min mine mit mod ned noget nogle nu \
    når og også om op os over på selv sig sin sine sit skal skulle som sådan til ud under var vi vil ville \
    være været";

/// Swedish.
pub(crate) const SWEDISH: &str = "\
    alla att av blev bli blir de dem den denna deras dess det detta dig din du där då efter ej eller en er ett \
    från för ha hade han hans har henne hennes hon honom hur här i icke inte jag ju kan kunde man med mellan \
    men mig min mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina sitt själv ska \
    skulle som så till under upp ut utan vad var varför vars vart vem vi vid vilka vilken vilket vill är över";

/// Norwegian (Bokmål).
pub(crate) const NORWEGIAN: &str = "\
    alle at av ble bli blir da de deg dem den denne dere deres det dette din disse du eller en enn er et etter \
    for fordi fra før ha hadde han hans har henne hennes her hun hva hvem hvilke hvilken hvis hvor hvordan \
    hvorfor i ikke inn jeg kan kunne man med meg men mot mye noe noen nå når og også om opp oss over på seg \
    selv sin sine sitt skal skulle slik som så til ut var ved vi vil ville være vært";

/// Finnish.
pub(crate) const FINNISH: &str = "\
    ei eivät emme en ette että he heidän hän hänen ja jo joka jolla jonka jos jotka kanssa kenen ketkä kuin \
    kuinka kuka kun me miksi mikä mikään milloin minkä minun minä missä mistä miten mitkä mitä mukaan mutta \
    myös ne niiden niin nyt olen olet oli olivat olla on onko ovat se sekä sen siellä siinä sinun sinä sitten \
    sitä tai te teidän tämä tämän tässä vai vain voi";

/// Hungarian.
pub(crate) const HUNGARIAN: &str = "\
    a abban ahhoz ahogy aki akik akkor amely amelyek ami az azok azt azzal be csak de e egy egyik el ennek ez \
    ezek ezt fel hanem hogy hogyan hol honnan hova hány ilyen is itt kell ki kik kit közül le lehet lenni lesz \
    lett meg melyik mert mi mikor milyen mind mint mit mivel miért most nagyon nem ott pedig s sem szerint te \
    ti vagy vagyok van vannak volt voltak és úgy ő ők";

/// Romanian.
pub(crate) const ROMANIAN: &str = "\
    a acea aceasta această aceea acei aceia acel acela acele acest acesta aceste acestei acestui acești \
    aceștia ai al ale am ar are as asta astfel au avea aveau avut ca care ce cea cei cel cele celui cine cu \
    cui cum când cât câte câți că cărei căror cărui dacă dar de deci decât despre din după ea ei el ele era \
    erau este eu fi fie fost fără iar la le li lor lui mai mea mei mele meu mi ne ni nici noi nostru noștri nu \
    o or ori pe pentru prin până sa sale sau se si sub sunt sînt să său te tu un una unde unei unele unor unui \
    va voi vor vă îi îl îmi în înainte între își îți și";

/// Polish.
pub(crate) const POLISH: &str = "\
    a aby ale bardzo bez bo by być był była było były ci co czy czyli dla do gdy gdzie go i ich ile im innych \
    iż ja jak jaka jaki jakie jako je jego jej jest jestem jeszcze już kiedy kto która które którego której \
    który których którzy ma mają mi mnie może my na nad nam nas nie nim o od on ona one oni oraz po pod pot \
    przed przez przy się są ta tak także tam te tego tej ten to tu tylko tym w we wszystko z za ze że";

/// Vietnamese; syllables, since they are written apart.
pub(crate) const VIETNAMESE: &str = "\
    ai anh bao bạn bằng bị bởi cho các cái còn có cô cùng cũng của do dù gì hay họ khi không là làm lúc lại mà \
    mình mấy mỗi một nhiêu như nhưng những nào này nên nó nơi nếu nữa phải ra rất rằng rồi sao sau sẽ số sự ta \
    theo thì thế trong trên tôi tại từ việc và vào vì vẫn về với ông đang đâu đây đã đó được đến đều để ở";

/// German.
pub(crate) const GERMAN_ONLY: &str = "\
    alle allem allen aller alles andere anderem anderen anderer anderes bereits bevor bin bist dabei \
    dadurch dafür dagegen daher danach daran darauf daraus darf darin darum darüber davon davor dazu \
    deinem deinen deiner deines demselben denen denselben deren derer derselbe derselben desselben \
    dessen die dies diese dieselbe dieselben diesem diesen dieser dieses dir dort durfte durften dürfen \
    ebenfalls einig einige einigem einigen einiger einiges einmal etwa etwas eure eurem euren eurer \
    falls gab geht gewesen geworden gibt ging gingen hast hat heißen heißt hier hin ihrem ihren ihrer \
    ihres indem jedem jeden jedoch jemand jene jenem jenen jener jenes jetzt kann keinem keinen keiner \
    keines konnte konnten könnte könnten ließ ließen lässt man manche manchem manchen mancher manches \
    mehr meines mit muss musste mussten müssen nachdem niemand obwohl seinem seinen seiner seines \
    selbst sobald sogar solche solchem solchen solcher solches sollen sollte sollten sondern sonst \
    sowie tun unsere unserem unseren unserer unseres viel viele vielen wann war waren was welchem \
    welchen welches wem wen wer weshalb wessen wieso wieviel wo wobei wodurch wofür wogegen woher wohin \
    wollen wollte wollten womit wonach woran worauf woraus worden worin worum worüber wovon wozu wurden \
    während wäre würde würden zwar überhaupt";

/// English.
pub(crate) const ENGLISH_ONLY: &str = "\
    called did does get gets getting go goes going got kind many may might much must shall sort tell \
    type us want wants war";

/// French.
pub(crate) const FRENCH_ONLY: &str = "\
    a ai as avait avoir car combien comment d fait fut l laquelle lequel moins n ont peut plus pour pourquoi \
    qu s son sur tous tout toute y";

/// Spanish.
pub(crate) const SPANISH_ONLY: &str = "\
    a cuales cuanta cuanto cuáles cuánta cuántas cuánto cuántos e fueron han hay quién quiénes sea sin sobre \
    son u vez";

/// Italian.
pub(crate) const ITALIAN_ONLY: &str = "\
    a al c come con da dove era hanno l nel quali quanta quanti quanto se stata stato un";

/// Portuguese.
pub(crate) const PORTUGUESE_ONLY: &str = "\
    a e foram o os pode por quais quanto quantos ser são vez";

/// Turkish.
pub(crate) const TURKISH_ONLY: &str = "\
    bana ben göre hangisi kaç kim kimde kime kimi kimin midir mıdır nedir nereden nereye oldu olduğu olur var \
    yok";

/// All lists of this file.
#[cfg(test)]
pub(crate) const ALL: [&str; 16] = [
    DUTCH,
    DANISH,
    SWEDISH,
    NORWEGIAN,
    FINNISH,
    HUNGARIAN,
    ROMANIAN,
    POLISH,
    VIETNAMESE,
    GERMAN_ONLY,
    ENGLISH_ONLY,
    FRENCH_ONLY,
    SPANISH_ONLY,
    ITALIAN_ONLY,
    PORTUGUESE_ONLY,
    TURKISH_ONLY,
];
