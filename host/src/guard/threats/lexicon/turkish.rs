//! Turkish. Endings say what other languages say with small words, so most entries stand for all words that begin so.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        OVERRIDE | OVERRIDE_AFTER,
        "yok say, yok sayın, yoksay*, görmezden gel, görmezden gelin, göz ardı et, göz ardı edin, gözardı et, dikkate alma, \
         dikkate almayın, unut, unutun, unutunuz, boş aldırma, uyma, uymayın, itaat etme, itaat etmeyin, takip etme, \
         izleme, uygulamayı bırak, uymayı bırak, dinleme, dinlemeyin, atla, geçersiz kıl, çiğne, ihlal et, sil, iptal et, \
         devre dışı bırak, bir kenara bırak",
    ),
    (DISOBEY, "itaat etme, itaat etmeyin, dinleme, dinlemeyin, uymayı bırak, karşı gel"),
    (NOT, "asla, hiçbir zaman, sakın"),
    (FOLLOW, "uy, uyun, uysun*, uygula, uygulayın, itaat et, itaat edin, takip et, takip edin, yerine getir"),
    (
        PRIOR,
        "önceki, önce, daha önce, eski, yukarıdaki, şimdiye kadar, şimdiye kadarki, şu ana kadar, mevcut, bundan önceki, \
         evvelki",
    ),
    (ALL, "tüm, bütün, tamamını, hepsini, herhangi"),
    (
        INSTRUCTIONS,
        "talimat, talimatlar*, talimatı*, talimatların*, yönerge*, kurallar*, kuralları*, kuralı, direktif*, kısıtlama*, \
         emirler*, komutlar*, yönlendirme*, politikalar*",
    ),
    (YOURS, "sana verilen, verilen, aldığın, kendi, senin, size verilen, aldığınız, uyman gereken"),
    (AUTHORITY, "sistem, sistemin, geliştirici*, güvenlik, yönetici*, operatör*"),
    (
        PROMPT,
        "sistem istemi*, sistem istemini, sistem promptu*, sistem prompt*, sistem mesajı*, sistem talimat*, sistem komut*, \
         başlangıç istemi*, gizli istem*, ilk istemi*",
    ),
    (
        VOID,
        "geçersiz, geçersizdir, artık geçersiz, artık geçerli değil, artık geçerli değildir, iptal edildi, yürürlükten kalktı, \
         kaldırıldı, hükümsüz*",
    ),
    (NEW, "yeni, yalnızca, sadece, şu, bunun yerine, aşağıdaki"),
    (TOLD, "söylenen, söylenenleri, öğrendiğin, bildiğin, öğretilen, anlatılan"),
    (
        NOT_TELL,
        "söyleme, söylemeyin, bahsetme, bahsetmeyin, anlatma, anlatmayın, bildirme, bildirmeyin, haber verme, haber vermeyin, \
         açıklama, açık etme, belli etme",
    ),
    (USER, "kullanıcı, kullanıcıya, kullanıcılara, kullanıcının"),
    (FROM_USER, "kullanıcıdan, kullanıcılardan"),
    (HIDE, "gizle, gizleyin, sakla, saklayın, gizli tut, gizli olarak, gizlice"),
    (
        UNTOLD,
        "kullanıcıya söylemeden, kullanıcıya haber vermeden, kullanıcıya bildirmeden, kullanıcının haberi olmadan, \
         kullanıcıdan habersiz, kullanıcıdan gizli",
    ),
    (QUIETLY, "sessizce, gizlice, çaktırmadan"),
    (MODEL, "asistan, dil modeli, yapay zeka, yapay zekâ"),
    (
        BE,
        "sen artık, artık sen, bundan sonra, bundan böyle, şu andan itibaren, artık bir, gibi davran, gibi davranın, rolünü oyna, \
         rolüne gir, mış gibi yap, sensin, hayal et ki, olduğunu varsay",
    ),
    (UNBOUND, "artık hiçbir, bağlı değilsin, artık bağlı değilsin"),
    (
        PERSONA,
        "hacker*, hekır*, korsan*, sansürsüz*, kuralsız*, kuralı olmayan, kuralları olmayan, sınırı olmayan, sınırları olmayan, \
         kısıtlamasız*, filtresiz*, sınır tanımayan, kötü niyetli, her şeyi yapabilen",
    ),
    (MODE, "jailbreak modu*, tanrı modu*, dan modu*, sınırsız mod*"),
    (USUAL_MODE, "geliştirici modu*, hata ayıklama modu*"),
    (ENABLE, "etkinleştir*, aktifleştir*, aç, geç"),
    (WITHOUT, "olmadan, olmayan, hiçbir, yok"),
    (LIMIT, "sınır, sınırlar, sınırın, kısıtlaman, filtre, filtren, ahlak, etik, kuralın"),
    (REFUSE, "reddetme, reddetmeyen, reddetmeden"),
    (SEND, "gönder, gönderin, yolla, yollayın, ilet, iletin, yükle, yükleyin, paylaş, aktar, postala"),
    (STEAL, "çal, çalın, sızdır, sızdırın"),
    (
        SECRET,
        "parola*, şifre, şifreler*, şifresini, şifreyi, api anahtar*, gizli anahtar*, özel anahtar*, jeton*, tokenlar*, \
         kimlik bilgileri*, ortam değişken*, çerezleri",
    ),
    (0, "parola yöneticisi*, şifre yöneticisi*"),
    (PRIVATE, "konuşma*, sohbet geçmişi*, sohbeti, yazışma*, mesajları, dosyaları, içeriği"),
    (DESTINATION, "sunucumuza, sunucuma, bu adrese, şu adrese, dış sunucuya"),
    (REVEAL, "göster, gösterin, yazdır, yazdırın, tekrarla, tekrar et, yaz, söyle, listele, paylaş, ver"),
    (EXPOSE, "açıkla, açığa vur, ifşa et"),
    (VERBATIM, "kelimesi kelimesine, harfi harfine, aynen, eksiksiz, olduğu gibi, baştan sona"),
    (INITIAL, "başlangıç, gizli, asıl"),
    (WRITE, "ekle, ekleyin, yaz, yazın, kaydet, kaydedin, değiştir, düzenle, koy"),
    (LASTING, "her zaman, daima, kalıcı olarak, her oturumda, gelecekteki, sonraki oturumlar*"),
    (POLL, "bağlan, bağlanın, sorgula, iletişime geç, yokla"),
    (OFTEN, "her saat, her dakika, dakikada bir, saatte bir, düzenli olarak"),
    (EXECUTE, "çalıştır, çalıştırın, yürüt, yürütün"),
    (ORDERS, "emirleri, emir, komutları, görevleri, emri"),
    (COMMANDER, "komuta sunucusu*, kontrol sunucusu*, komut sunucusu*, c2 sunucusu*"),
    (FETCH, "indir, indirin, getir, çek"),
    (AWAIT, "bekle, bekleyin"),
    (MEMORY, "hafıza*, belleğe, belleğine"),
    (UNCHECKED, "sormadan, onay almadan, onaysız, kontrol etmeden"),
    (SHELL, "ters kabuk, ters shell"),
];
