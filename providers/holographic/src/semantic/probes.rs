//! Sentences that have nothing to do with what anybody wants to know.
//!
//! Some models call any two texts much alike, some hardly any, and some any two of one language. How alike a question is
//! to these says what is no more than chance, also in a store of three facts.

pub(super) const PROBES: [&str; 16] = [
    "The train to the coast leaves at nine.",
    "Water boils at a lower temperature in the mountains.",
    "The committee will vote on the budget next spring.",
    "She bought a red umbrella at the market.",
    "Der Zug ans Meer fährt um neun Uhr ab.",
    "Der Ausschuss stimmt im Frühling über den Haushalt ab.",
    "Поезд к морю отправляется в девять часов.",
    "Весной комитет проголосует за бюджет.",
    "去海边的火车九点出发。",
    "委员会将在春天就预算投票。",
    "海へ行く列車は九時に出ます。",
    "委員会は春に予算を採決します。",
    "รถไฟไปทะเลออกเวลาเก้าโมง",
    "Sahile giden tren saat dokuzda kalkıyor.",
    "Komite bütçeyi ilkbaharda oylayacak.",
    "Le train pour la côte part à neuf heures.",
];
