//! Questions in other words than the text: other endings, no accents, parts of compounds.

use std::collections::HashSet;

use hermes_text::{index_terms, query_words};

/// Whether the index of a text has every word of a question, in whatever form but the first letters.
fn finds(question: &str, text: &str) -> bool {
    let terms = index_terms(text);
    let terms: HashSet<&str> = terms.split(' ').collect();
    let words = query_words(question);
    !words.is_empty()
        && words.iter().all(|word| {
            let own = [&word.token.stem].into_iter().chain(&word.forms).chain(&word.within);
            own.chain(&word.parts).any(|term| terms.contains(term.as_str()))
        })
}

#[track_caller]
fn meet(question: &str, text: &str) {
    assert!(finds(question, text), "{question} / {text}\n{:?}\n{}", query_words(question), index_terms(text));
}

#[track_caller]
fn part(question: &str, text: &str) {
    assert!(!finds(question, text), "{question} / {text}\n{:?}\n{}", query_words(question), index_terms(text));
}

#[test]
fn other_endings_of_the_same_word() {
    meet("Wer hat ein Huhn?", "Mo hält zwei Hühner auf dem Hof");
    meet("les étudiantes", "Mo est un étudiant à Lyon");
    meet("las ciudades", "La ciudad que más le gusta es Lima");
    meet("gatti", "Mo ha un gatto e una gatta");
    meet("as cidades", "A cidade onde ele mora não é grande");
    meet("orașele", "Mo locuiește într-un oraș mare și frumos");
    meet("kitaplar", "Mo bir kitap okuyor");
    meet("hundarna", "Hon har en hund och två katter");
    meet("honden", "Hij heeft een hond en een kat");
    meet("kissat", "Hänellä on kissa ja se on musta");
    meet("кошками", "У него две кошки");
    meet("γάτες", "Έχει μια μαύρη γάτα");
    meet("الكتاب", "هذا كتاب جديد");
    meet("کتاب", "او کتاب‌های زیادی دارد");
    meet("लड़कियों", "वह लड़की है");
    meet("כלב", "יש לו הכלב");
}

#[test]
fn other_sorts_of_the_same_word_in_english() {
    meet("swimmers", "Mo likes to swim");
    meet("skier", "Mo goes skiing");
    meet("bakers", "Mo bakes bread");
    meet("translation", "Mo is a translator");
}

#[test]
fn other_forms_of_the_same_verb_in_german_and_dutch() {
    meet("Wer hat das Haus gebaut?", "Die Firma baut ein Haus für uns");
    meet("Wann wurde die Schule gegründet?", "Sie gründen eine Schule in der Stadt");
    meet("Gegen wen protestieren sie?", "Der Protest der Bauern war laut");
    meet("Wie ist das aufzugeben?", "Wir wollen das nicht aufgeben");
    meet("Wat heeft hij gemaakt?", "Wij maken het samen met de buren");
    part("Wo ist der Wal?", "Sie geht gern in den Wald");
    part("Wer hat das Haus gebaut?", "Der Baum steht vor dem Haus");
}

#[test]
fn accents_may_be_left_out_but_not_exchanged() {
    meet("Jose", "José lives here");
    meet("José", "Jose lives here");
    meet("pho Ha Noi", "Mo thích phở ở Hà Nội");
    meet("ISPARTA", "Mo Isparta'da yaşıyor");
    meet("Αθηνα", "Μένει στην Αθήνα");
    meet("Müller", "Mueller wohnt in der Stadt");
    meet("Mueller", "Frau Müller wohnt in der Stadt");
    part("má", "Mo mua mạ");
}

#[test]
fn parts_of_compounds() {
    meet("Uhr", "Mo sammelt Wanduhren");
    meet("Schrank", "Der Kleiderschrank ist neu");
    meet("Kleider", "Der Kleiderschrank ist neu");
    meet("Wanduhr", "Mo hat die Uhr an der Wand");
    meet("金鱼", "他养了一条大鱼");
    part("Kran", "Der Schrank ist neu");
}

#[test]
fn function_words_of_the_language_are_not_asked_for() {
    let asked = |text| query_words(text).into_iter().map(|word| word.token.text).collect::<Vec<_>>().join(" ");
    assert_eq!(asked("Wer war die Frau mit dem Hund?"), "frau hund");
    assert_eq!(asked("Tên của con chó là gì?"), "tên chó");
    assert_eq!(asked("Cine este și unde locuiește?"), "locuiește");
    assert_eq!(asked("Did the car die in the war?"), "car die");
}
