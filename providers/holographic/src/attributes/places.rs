//! Names of countries: who lives in Germany may well live in Berlin.

use crate::entities::names::List;

/// In English, Russian and German, and as some countries call themselves; in normal form.
static COUNTRIES: List = List::new(
    "
usa us uk england scotland wales britain ireland germany france spain portugal italy austria switzerland belgium netherlands holland
denmark sweden norway finland iceland poland czechia czech slovakia hungary romania bulgaria greece turkey ukraine russia belarus
serbia croatia slovenia georgia armenia azerbaijan kazakhstan israel egypt morocco tunisia nigeria kenya ethiopia iran iraq india
pakistan china japan korea vietnam thailand indonesia malaysia philippines australia canada mexico brazil argentina chile peru colombia
europe asia africa america
сша англия англии шотландия великобритания германия германии франция франции испания испании италия италии португалия португалии
австрия австрии швейцария швейцарии бельгия голландия нидерланды дания швеция швеции норвегия норвегии финляндия финляндии польша
польше чехия чехии венгрия румыния болгария сербия сербии греция турция турции украина украине россия россии беларусь беларуси грузия
грузии армения армении казахстан казахстане израиль израиле египет иран индия индии китай китае япония японии корея таиланд таиланде
вьетнам канада канаде бразилия аргентина австралия европа европе
deutschland frankreich spanien italien österreich schweiz belgien niederlande dänemark schweden norwegen finnland polen tschechien
ungarn griechenland türkei russland indien japan kanada brasilien europa
türkiye almanya fransa ingiltere italya ispanya rusya japonya amerika hollanda españa alemania francia italia inglaterra méxico brasil
argentina allemagne espagne italie angleterre suisse belgique canada
中国 日本 美国 英国 法国 德国 韩国 泰国 印度 俄罗斯 加拿大 アメリカ イギリス フランス ドイツ 中国 韓国 タイ インド
ญี่ปุ่น จีน อเมริกา อังกฤษ เยอรมนี ฝรั่งเศส เกาหลี ประเทศไทย อินเดีย
한국 일본 중국 미국 영국 독일 프랑스 태국 ایران ترکیه آلمان فرانسه انگلیس آمریکا کانادا",
);

/// Whether a place is a country, or a part of the world.
pub(super) fn is_country(place: &str) -> bool {
    let bare = place.trim_start_matches("the ").trim_end_matches(['에', '서', '로']);
    let bare = bare.split(['\'', '’']).next().unwrap_or(bare);
    COUNTRIES.has(bare)
}
