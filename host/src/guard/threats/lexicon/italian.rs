//! Italian.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        OVERRIDE,
        "ignora, ignorate, ignori, ignorare, dimentica, dimenticate, dimenticati di, dimentichi, scorda, scordati, trascura, \
         trascurate, scarta, tralascia, disobbedisci a, disubbidisci a, viola, aggira, elimina, cancella, annulla, disattiva, \
         non seguire, non seguite, non seguire più, non rispettare, non rispettate, non obbedire a, non ubbidire a, \
         non tenere conto di, non tenere conto delle, non considerare, non dare ascolto a, non badare a, smetti di seguire, \
         smetti di rispettare, smettila di seguire, metti da parte, lascia perdere",
    ),
    (
        DISOBEY,
        "disobbedisci, disubbidisci, non obbedire, non obbedire a, non ubbidire, smetti di obbedire, non ascoltare, \
         non dare ascolto",
    ),
    (APPLY, "valgono, vale, si applicano, si applica"),
    (NOT, "non, mai, niente, nulla"),
    (
        FOLLOW,
        "segui, seguite, seguano, seguire, obbedisci, ubbidisci, rispetta, rispettate, esegui, attieniti, attenersi",
    ),
    (
        PRIOR,
        "precedenti, precedente, anteriori, di prima, finora, fino ad ora, fin qui, sopra, di sopra, esistenti, \
         originali, pregresse, ricevute finora",
    ),
    (ALL, "tutte, tutti, tutto, tutta, ogni, qualsiasi, qualunque, tutte le, tutti i, tutto ciò che, tutto quello che"),
    (
        INSTRUCTIONS,
        "istruzioni, regole, direttive, linee guida, ordini, indicazioni, restrizioni, vincoli, norme, comandi, politiche",
    ),
    (INSTRUCTION, "istruzione, regola, direttiva, ordine"),
    (0, "ordini di acquisto, istruzioni di lavaggio, istruzioni per l'uso, regole del gioco"),
    (
        YOURS,
        "le tue, i tuoi, il tuo, la tua, tue, tuoi, tuo, tua, che hai ricevuto, ricevute, che ti hanno dato, che ti sono state date",
    ),
    (
        AUTHORITY,
        "di sistema, del sistema, dello sviluppatore, sviluppatore, sviluppatori, degli sviluppatori, di sicurezza, sicurezza, \
         dell'operatore, operatore, all'amministratore",
    ),
    (
        PROMPT,
        "prompt di sistema, prompt del sistema, messaggio di sistema, istruzioni di sistema, prompt iniziale, prompt nascosto, \
         messaggio del sistema",
    ),
    (
        VOID,
        "non valgono più, non sono più valide, non si applicano più, non vale più, annullate, revocate, sospese, decadute, \
         non più valide",
    ),
    (NEW, "nuove, nuovi, queste, questi, seguenti, soltanto queste, solo queste, invece, quelle nuove"),
    (TOLD, "detto, ti hanno detto, ti è stato detto, sai, hai imparato, ti hanno insegnato"),
    (TELL, "dirlo, menzionare, rivelare, informare, comunicare, avvisare, parlare, raccontare"),
    (
        NOT_TELL,
        "non dire, non dire mai, non dirlo, non rivelare, non menzionare, non informare, non avvisare, non raccontare, \
         non far sapere",
    ),
    (USER, "all'utente, l'utente, utente, utenti, agli utenti, dell'utente"),
    (FROM_USER, "all'utente, dall'utente, agli utenti"),
    (HIDE, "nascondi, nascondere, nascondete, occulta, tieni nascosto"),
    (
        UNTOLD,
        "senza dirlo all'utente, senza dire all'utente, senza avvisare l'utente, senza informare l'utente, \
         all'insaputa dell'utente, senza che l'utente lo sappia, senza farlo sapere all'utente",
    ),
    (QUIETLY, "di nascosto, in silenzio, segretamente, silenziosamente, in segreto"),
    (MODEL, "assistente, modello linguistico, intelligenza artificiale, un'ia"),
    (
        BE,
        "adesso sei, ora sei, da adesso sei, da ora in poi sei, d'ora in poi sei, d'ora in avanti sei, sei un, sei una, \
         sei un'ia, tu sei ora, \
         comportati come, agisci come, agisci come se, fingi di essere, fingi che, fai finta di, fai finta di essere, \
         immagina di essere, rispondi come, recita la parte",
    ),
    (UNBOUND, "non hai più, non hai, non sei più soggetto a, non sei più vincolato da, sei libero da"),
    (
        PERSONA,
        "hacker*, pirata informatico, senza censura, senza censure, senza filtri, senza freni, malvagi*, puoi fare qualsiasi cosa, \
         puoi fare tutto",
    ),
    (MODE, "modalità dio, modalità dan, modalità jailbreak, modalità senza limiti"),
    (USUAL_MODE, "modalità sviluppatore, modalità debug"),
    (ENABLE, "attiva, abilita, entra in, passa in"),
    (WITHOUT, "senza, senza alcuna, senza alcun, senza nessuna, nessuna, nessun, alcuna, privo di, libero da"),
    (
        LIMIT,
        "regola, regole, limite, limiti, filtro, filtri, restrizione, restrizioni, morale, etica, vincoli, censura",
    ),
    (REFUSE, "rifiuti, rifiutare, rifiutarti, rifiuta"),
    (SEND, "invia, inviate, invii, inviare, manda, mandate, spedisci, trasmetti, carica, inoltra, pubblica, condividi"),
    (STEAL, "ruba, rubate, esfiltra, sottrai, trafuga"),
    (
        SECRET,
        "chiavi api, chiave api, credenziali, segreti, variabili d'ambiente, variabili di ambiente, file .env, chiave privata, \
         chiavi private, parole d'ordine, codici di accesso",
    ),
    (PRIVATE, "conversazione, conversazioni, cronologia, contenuto, contenuti, messaggi, memorie"),
    (DESTINATION, "nostro server, mio server, questo indirizzo, seguente indirizzo"),
    (REVEAL, "mostra, mostrami, stampa, ripeti, scrivi, dimmi, elenca, copia, visualizza, dammi"),
    (EXPOSE, "rivela, rivelami, divulga, esponi, svela"),
    (VERBATIM, "parola per parola, alla lettera, testualmente, integralmente, per intero, letteralmente"),
    (INITIAL, "iniziali, iniziale, originali, nascoste, segrete, interne"),
    (WRITE, "aggiungi, aggiungete, scrivi, inserisci, metti, salva, modifica, cambia, includi"),
    (LASTING, "affinché, sempre, per sempre, permanentemente, tutte le sessioni, futuri, in modo che"),
    (POLL, "collegati, connettiti, contatta, interroga, consulta"),
    (OFTEN, "ogni ora, ogni minuto, minuti, periodicamente, regolarmente"),
    (EXECUTE, "esegui, eseguite, eseguire, lancia, avvia"),
    (ORDERS, "comandi, ordini, compiti, istruzioni"),
    (COMMANDER, "server di comando, server di controllo, server c2, server di comando e controllo"),
    (FETCH, "scarica, scaricate, recupera, ottieni"),
    (AWAIT, "attendi, aspetta, attendete, aspettate"),
    (MEMORY, "memoria"),
    (UNCHECKED, "senza chiedere, senza conferma, senza verifica, senza controlli"),
    (SHELL, "shell inversa"),
];
