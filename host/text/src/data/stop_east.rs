//! Function words of languages in Arabic letters, Devanagari and the scripts of East Asia, sorted.
//!
//! Chosen by hand like those of the west. Chinese and Japanese entries have one or two characters, since
//! that is what a text in these scripts is cut into; pairs that cut a longer function word (`为什`) count too.

/// Arabic.
pub(crate) const ARABIC: &str = "\
    أن أنا أنت أو أي أين إلى إن التي الذي ذلك على عن في قد كان كانت كل كما كيف لا لم لماذا لن له لها \
    ما ماذا متى مع من نحن هذا هذه هل هم هو هي و يا";

/// Persian.
pub(crate) const PERSIAN: &str = "\
    آن آنها آیا از است اش ام اما اند او اگر این با باید بر برای به بود تا تو خود را شد شده شما شود ما \
    من می نمی ها های هایی هر هست هستم هستند هم همه هیچ و ولی پس چرا چه چون چی چیست کجا کدام که کی یا \
    یک";

/// Hindi.
pub(crate) const HINDI: &str = "\
    आप इस उस एक और कब कहाँ कहां का कि की के कैसे को कौन क्या क्यों जो तक तुम था थी थे ने पर भी में \
    मेरा मेरी मेरे मैं यह या ये वह वे से हम ही हूँ हूं है हैं हो";

/// Chinese.
pub(crate) const CHINESE: &str = "\
    不是 与 为什 也 也是 了 了吗 什么 什麼 他 他们 他們 他的 以及 们 但 但是 你 你们 你們 你的 們 及 \
    吗 吧 呀 呢 和 哪个 哪裡 哪里 啊 嗎 因为 因為 在 她 她们 她的 如果 它 它们 它的 就 就是 很 怎么 \
    怎麼 您 您的 我 我们 我們 我的 或 或者 所以 把 是 是什 是否 是的 為什 的 的吗 着 而 被 还是 这 \
    这个 这些 这里 這 這個 那 那个 那些 那個 那里 都 都是";

/// Japanese.
pub(crate) const JAPANESE: &str = "\
    あの ある あれ いる か から が ここ こと この これ さん した して しょ すか する せん そこ その \
    それ たい ため だっ った って てい ている で でし です では でも と とは どこ どの どれ な ない \
    なに に には ね の ので のに は へ まし ます ませ まで も もの や ょう よ よう より を 何か 何で";

/// Thai.
pub(crate) const THAI: &str = "\
    กับ ก็ ของ ครับ คะ คือ คุณ ค่ะ จะ จาก ฉัน ซึ่ง ด้วย ถ้า ที่ นะ นั้น นี้ ผม มี ยัง ว่า หรือ อยู่ \
    อะไร เขา เป็น เพราะ เรา แต่ และ แล้ว โดย ใน ให้ ได้ ไม่ ไหม";

/// Korean.
pub(crate) const KOREAN: &str = "\
    가 것 과 그 그것 그래서 그러나 그런데 그리고 나 나는 나의 내 내가 너 너는 너의 네 네가 누구 는 \
    당신 도 등 또는 로 를 만 무슨 무엇 뭐 뭐야 및 어디 어떤 어떻게 언제 없다 에 에서 와 왜 우리 우리는 \
    으로 은 을 의 이 이것 이다 입니다 있는 있다 저 저것 저는 제 제가 하는 하지만 합니다";

/// All lists of this file.
pub(crate) const ALL: [&str; 7] = [ARABIC, PERSIAN, HINDI, CHINESE, JAPANESE, THAI, KOREAN];
