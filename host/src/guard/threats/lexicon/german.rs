//! German.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        OVERRIDE,
        "ignoriere, ignorier, nimm keine rücksicht auf, nimm ab jetzt keine rücksicht auf, scher dich nicht um, ignorieren sie, missachte, missachten sie, vergiss, vergesst, vergessen sie, \
         übergehe, übergeh, umgehe, verwirf, verwerfen sie, überschreibe, lösche, verletze, breche, brich, \
         befolge nicht, folge nicht, beachte nicht, hör nicht auf, halte dich nicht an, kümmere dich nicht um, \
         setz dich über, setze dich über, höre auf zu befolgen, schenke keine beachtung, deaktiviere",
    ),
    (OVERRIDE_AFTER, "ignorieren, missachten, vergessen, verwerfen, außer acht lassen, nicht beachten, nicht befolgen"),
    (
        DISOBEY,
        "gehorche nicht, hör nicht auf, höre nicht auf, hör nicht mehr auf, gehorche nicht mehr, widersetze dich",
    ),
    (APPLY, "gelten, gilt, zählen, zählt, greifen"),
    (NOT, "nicht, nie, niemals, nichts, kein, keine, keinen, nicht mehr"),
    (
        FOLLOW,
        "befolge, befolgen, folge, folgen, beachte, beachten, gehorche, gehorchen, halte dich an, richte dich nach",
    ),
    (
        PRIOR,
        "vorherig*, früher*, bisherig*, bisher, vorig*, obig*, oben, vorangegangen*, vorausgehend*, vorhergehend*, \
         ursprünglich*, zuvor, vorher, davor, vorstehend*, bestehend*",
    ),
    (ALL, "alle, allen, aller, alles, jede, jeden, jedes, sämtliche, sämtlichen, was auch immer"),
    (
        INSTRUCTIONS,
        "anweisungen, anweisung, anleitungen, instruktionen, regeln, richtlinien, vorgaben, vorschriften, befehle, \
         direktiven, einschränkungen, beschränkungen, weisungen, leitlinien, sicherheitsregeln, systemregeln",
    ),
    (YOURS, "deine, deinen, deiner, dir, ihre, ihren, die du bekommen hast, die du erhalten hast, die man dir"),
    (AUTHORITY, "systems, system, entwicklers, entwickler, entwicklern, betreibers, betreiber, sicherheit"),
    (
        PROMPT,
        "systemprompt, systemprompts, system-prompt, systemnachricht, system-nachricht, systemanweisung, \
              systemanweisungen, systemaufforderung",
    ),
    (
        VOID,
        "gelten nicht mehr, gilt nicht mehr, ungültig, aufgehoben, außer kraft, hinfällig, widerrufen, überholt, \
            nicht länger gültig, abgeschaltet",
    ),
    (NEW, "neue, neuen, folgenden, folgende, diese, diesen, stattdessen, nur noch, nur"),
    (TOLD, "gesagt, gesagt wurde, aufgetragen, beigebracht, weißt, gelernt"),
    (
        TELL,
        "sag, sage, sagen, erzähle, erzähl, erzählen, erwähne, erwähnen, verrate, verraten, informiere, informieren, \
            teile, melde, zeige",
    ),
    (USER, "nutzer, nutzern, nutzerin, benutzer, benutzern, benutzerin, anwender, anwendern, menschen"),
    (FROM_USER, "vor dem nutzer, vor dem benutzer, vor dem anwender, vor den nutzern"),
    (HIDE, "verbirg, verstecke, verheimliche, verschweige, halte, geheim"),
    (
        UNTOLD,
        "ohne dem nutzer, ohne dem benutzer, ohne wissen des nutzers, ohne wissen des benutzers, \
              hinter dem rücken des nutzers",
    ),
    (QUIETLY, "heimlich, stillschweigend, unbemerkt, leise, im hintergrund"),
    (MODEL, "ki, assistent, sprachmodell, ki-modell"),
    (
        BE,
        "du bist, du hast, du hast ab jetzt, du bist jetzt, du bist ab jetzt, du bist nun, ab jetzt bist du, ab sofort bist du, von nun an bist du, \
         jetzt bist du, verhalte dich wie, verhalte dich als, verhalte dich so, handle wie, handle als, agiere als, \
         agiere wie, tu so, tue so, tu so als, stell dir vor du, stelle dir vor, spiele die rolle, spiel die rolle, \
         antworte als, antworte wie, sie sind jetzt, du wirst zu",
    ),
    (UNBOUND, "du hast keine, du hast keinerlei, du hast ab jetzt keine, du unterliegst keinen, für dich gelten keine"),
    (PERSONA, "hacker*, uneingeschränkt*, ungefiltert*, unzensiert*, böse*, bösartig*, darfst alles, kannst alles"),
    (MODE, "gott-modus, gottmodus, dan-modus, jailbreak-modus"),
    (USUAL_MODE, "entwicklermodus, debug-modus"),
    (ENABLE, "aktiviere, schalte, starte, wechsle in, gehe in"),
    (WITHOUT, "ohne, keine, keinerlei, kein, frei von, hättest du keine, hast keine, befreit von"),
    (
        LIMIT,
        "einschränkung, einschränkungen, beschränkung, beschränkungen, grenzen, regeln, filter, filtern, moral, \
             ethik, schranken, zensur, richtlinien, skrupel",
    ),
    (REFUSE, "verweigere, verweigerst, ablehnst, lehnst, verweigert"),
    (
        SEND,
        "sende, senden, schicke, schick, schicken, schickt, übermittle, übermitteln, leite, lade, übertrage, poste, maile",
    ),
    (STEAL, "stiehl, exfiltriere"),
    (
        SECRET,
        "passwort, passwörter, kennwort, kennwörter, api-schlüssel, api-schlüsseln, zugangsdaten, geheimnisse, \
              umgebungsvariablen, token, tokens, anmeldedaten, datei .env, privaten schlüssel, geheimen schlüssel, cookies",
    ),
    (
        PRIVATE,
        "gespräch, gesamte gespräch, unterhaltung, chatverlauf, verlauf, inhalt, inhalte, dateien, nachrichten, \
               erinnerungen",
    ),
    (DESTINATION, "unseren server, meinen server, folgende adresse, diese adresse, unsere seite, angreifer*"),
    (REVEAL, "zeige, zeig, gib, nenne, drucke, wiederhole, schreibe, zitiere, liste, was sind, wie lautet, wie lauten"),
    (EXPOSE, "verrate, enthülle, lege offen"),
    (VERBATIM, "wort für wort, wörtlich, im wortlaut, vollständig, komplett, exakt, genau, ungekürzt"),
    (INITIAL, "ursprünglichen, ursprüngliche, anfänglichen, versteckten, geheimen, internen, genauen"),
    (WRITE, "füge, trage, schreibe, schreib, ergänze, hänge, speichere, ändere, setze, trag, bearbeite, hinterlege"),
    (LASTING, "damit, immer, dauerhaft, künftigen, künftig, zukünftigen, jeder sitzung, für immer, stets"),
    (POLL, "frage, frag, verbinde dich, verbinde, kontaktiere, melde dich, rufe, hole, abfragen"),
    (OFTEN, "minuten, stündlich, jede stunde, jede minute, regelmäßig, alle zehn minuten, alle fünf minuten, sekunden"),
    (EXECUTE, "führe, ausführen, führ, starte"),
    (ORDERS, "befehle, befehlen, aufgaben, aufträge, aufträgen, kommandos, anweisungen"),
    (COMMANDER, "kontrollserver, kommandoserver, steuerserver, c2-server, befehlsserver"),
    (FETCH, "lade, hole, rufe, öffne"),
    (AWAIT, "warte auf, warte, erwarte, empfange"),
    (MEMORY, "gedächtnis, speicher"),
    (OUTRANK, "haben vorrang vor, hat vorrang vor, ersetzen, ersetzt, wichtiger als, stehen über"),
    (UNCHECKED, "ohne nachfrage, ohne zu fragen, ohne prüfung, ohne bestätigung"),
    (SHELL, "reverse-shell"),
];
