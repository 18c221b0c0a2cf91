//! Function words of languages in Latin and Cyrillic letters, sorted, each already normalised.
//!
//! Chosen by hand: articles, pronouns, prepositions, conjunctions, auxiliaries, particles, question words.
//! Left out is whatever is a content word in another of these languages ("die", "war", "son", "pour", "mit",
//! "ben", "var"), since the stop test does not ask for the language.

/// English.
pub(crate) const ENGLISH: &str = "\
    a about above after again against all also am an and any are aren't as at be because been before \
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing \
    don't down during each else ever every few for from further had hadn't has hasn't have haven't \
    having he her here hers herself him himself his how i if in into is isn't it its itself just let's \
    me more most mustn't my myself no nor not of off on once only onto or other our ours ourselves out \
    over own please same shan't she should shouldn't so some such than that the their theirs them \
    themselves then there these they this those through to too under until up upon very was wasn't we \
    were weren't what when where whether which while who whom whose why will with without won't would \
    wouldn't you your yours yourself yourselves";

/// German.
pub(crate) const GERMAN: &str = "\
    aber als am an auch auf aus bei beim bis da damit dann das dass dein deine dem denn der des dich \
    doch du durch ein eine einem einen einer eines er es euch euer für gegen habe haben hatte hatten \
    ich ihm ihn ihnen ihr ihre im ist jede jeder jedes kein keine können mein meine meinem meinen \
    meiner mich mir nach nicht nichts noch nur ob oder ohne sehr seid sein seine sich sie sind so soll \
    um und uns unser unter vom von vor warum was wegen weil welche welcher wenn wer werde werden wie \
    wieder wir wird wo wurde zu zum zur zwischen über";

/// French.
pub(crate) const FRENCH: &str = "\
    alors au aussi aux avec ce cela celle celui ces cet cette comme dans de des donc du elle elles en \
    entre est et eu il ils je la le les leur leurs lui mais me moi mon même ne nos notre nous on ont \
    ou où par pas puis quand que quel quelle quelles quels qui sa sans se ses si sont sous suis sur ta \
    te tes toi très tu un une vos votre vous à ça étaient était être";

/// Spanish.
pub(crate) const SPANISH: &str = "\
    al antes aquel aquella como con cual cuando cuál cuándo cómo de del desde donde dónde el ella \
    ellas ellos en entre es esa ese eso esta estaba estas este esto estos está están fue ha hasta la \
    las le les lo los me mi mis mucho muy más nada ni nos nosotros o para pero por porque que quien \
    qué se ser si sus sí también te tiene tu tus un una unos y ya yo él";

/// Italian.
pub(crate) const ITALIAN: &str = "\
    agli al alla alle allo anche avere aveva che chi ci cui da dai dal dalla dalle degli dei del della \
    delle dello di e essere gli ha hai hanno ho i il in la le li lo loro lui ma mi mia mie miei mio ne \
    negli nei nel nella nelle noi non nostra nostro o per perché più quale quando quella quelle quello \
    questa queste questi questo qui se si sia siamo sono sua sugli sui sul sulla suo suoi tra tu tua \
    tuo tutti tutto un una vi voi è";

/// Portuguese.
pub(crate) const PORTUGUESE: &str = "\
    ao aos aquela aquele as até com como da das de dela dele do e ela elas ele eles em entre essa esse \
    esta este eu foi há isso isto já lhe mais mas me mesmo meu meus minha minhas muito na nem no nos \
    nossa nosso num numa não o onde ou para pela pelas pelo pelos por porque qual quando que quem se \
    sem seu seus sua suas são também te tem ter teu tu tua um uma você vocês à às é";

/// Turkish.
pub(crate) const TURKISH: &str = "\
    acaba ama ancak bazı belki bende beni benim bir biz bize bizi bu buna bunlar bunu burada da daha \
    de değil diye en gibi hangi hem hep hiç ile ise için kadar kendi ki mi mu mü mı nasıl ne neden \
    nerede niye niçin o olan olarak onlar onu onun sana seni senin siz sizi tüm ve veya ya yani çok \
    çünkü şey şu";

/// Russian.
pub(crate) const RUSSIAN: &str = "\
    а без бы был была были было быть в вам вами вас вдруг ведь весь во вот все всегда всего всех всю вы \
    где да даже для до его ее ей ему если есть еще ж же за зачем здесь и из или им ими их к как какая \
    какие каким каких какого какой каком какую кем ко когда кого кому которая которого которые который \
    кто куда ли либо лишь между меня мне мной мое моего моей моем мои моих мой мою моя мы на над нам \
    нами нас наш наша наше наши не него нее ней нем нет ни нибудь никогда ним них ничего но ну о об \
    однако он она они оно от очень перед по под после потом потому почему при про с сам свое своего \
    своей свои своих свой свою себе себя сейчас сколько со так такой там твое твоего твоей твои твой \
    твоя тебе тебя тем теперь то тобой тогда того тоже той только тот тут ты у уже хоть чего чей чем \
    чему через что чтоб чтобы чье чья эта эти этим этих это этого этой этом этот эту я";

/// Ukrainian.
pub(crate) const UKRAINIAN: &str = "\
    або але б без би був була були було бути в вам вас вже ви вона вони воно все від він де для до же \
    з за зі й його йому ким кого коли мене мені ми моя моє моєї мої мій на навіщо нам нас наш не ні \
    при про та так там твоя твоє твої твій тебе ти тобі той тому тут у хто це цей ця чи чому що щоб я \
    як яка яке який які є і із їй їм їх її";

/// All lists of this file.
pub(crate) const ALL: [&str; 9] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, TURKISH, RUSSIAN, UKRAINIAN];
