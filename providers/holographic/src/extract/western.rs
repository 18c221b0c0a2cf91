//! English and German.

use super::Words;

pub(super) const ENGLISH: Words = Words {
    cues: &[
        (
            "general",
            "my ?first/last/full/middle name is/'s {name}; my name's {name}; i_am/i'm/im called {name}; \
             you/please can/may call me {name}; please call me {name}; i go by {name}; \
             i live/reside in/at/on/near/with {}; i_am/i'm/im based in {}; i moved to {}; i've moved to {}; \
             i have moved to {}; i was born in/on {}; i grew up in {}; i was raised in {}; \
             i_am/i'm/im ?originally from {}; i come from {}; i work as/at/for {}; i work in/with {}; i work from/remotely {}; i have lived in {}; i've lived in {}; i study at {}; i study {}; \
             i_am/i'm/im a/an {who}; i_am/i'm/im {who}; i_am/i'm/im * years/yrs old; \
             i_am/i'm/im married/engaged to {}; i_am/i'm/im allergic to {}; i have a/an * allergy {?}; \
             i speak {}; i play the {}; i own a/an {}; i drive a/an {}; \
             my ?older/younger/little/big/oldest/youngest/new/ex @kin's name is/'s {name}; \
             my ?older/younger/little/big/oldest/youngest/new @kin is called/named {name}; my @kin's called/named {name}; \
             my ?older/younger/little/big/oldest/youngest @kin lives/works/studies in/at/as/for {}; \
             my ?older/younger/little/big/oldest/youngest @kin's birthday is {}; my @kin is allergic to {}; \
             i have a/an/one/two/three/four/five/six/no ?older/younger/little/big/small/teenage/adult @kin {?}; \
             i've got a/an/one/two/three/four/five @kin {?}; \
             my birthday/birthdate/hometown/timezone/job/profession/occupation/employer/nationality is {}; \
             my date_of_birth/time_zone/native_language/mother_tongue/first_language is {}; \
             my blood_type/zodiac_sign/shoe_size/dress_size/pronouns/star_sign is/are {}",
        ),
        (
            "user_pref",
            "i prefer {}; i like/love/enjoy/adore {}; i hate/dislike/detest/loathe {}; \
             i don't/do_not/dont like/enjoy/eat/drink/smoke/drive/own {}; i don't/do_not/dont smoke/drink/drive {?}; \
             i can't/cannot stand/eat/drink/tolerate {}; i never eat/drink/use {}; i always use/drink/wear {}; \
             i avoid {}; i_am/i'm/im a_fan_of/fond_of/interested_in/into/afraid_of/scared_of {}; \
             i_am/i'm/im a big/huge/great fan of {}; my favourite/favorite * is/are {}; my favourite/favorite * * is/are {}; \
             my hobby/hobbies/diet is/are {}; i collect {}",
        ),
        ("tool", "i use {thing}; i_am/i'm/im using {thing}"),
        (
            "project",
            "we use/are_using {}; our team/project/company/codebase/repo/stack uses/deploys/runs/follows {}; \
             we deploy/host/build/write/test/store/run with/to/on/in {}; we deploy/write/run everything with/to/on/in {}; \
             in this project we use {}; in this project/repo we prefer {}",
        ),
    ],
    kin: "wife; husband; spouse; partner; girlfriend; boyfriend; fiancé; fiancée; fiance; fiancee; son; daughter; child; baby; \
          sons; daughters; children; kids; kid; mother; father; mom; mum; dad; parents; sister; brother; sisters; brothers; \
          grandmother; grandfather; grandma; grandpa; aunt; uncle; cousin; niece; nephew; boss; manager; colleague; coworker; \
          roommate; flatmate; neighbour; neighbor; best friend; dog; cat; dogs; cats; parrot; rabbit; hamster; horse; \
          puppy; kitten; tortoise; turtle; goldfish; bird; pet; twins",
    who: "vegetarian; vegan; pescatarian; diabetic; celiac; coeliac; lactose intolerant; gluten intolerant; left-handed; right-handed; \
          colour blind; color blind; colourblind; colorblind; dyslexic; asthmatic; deaf; blind; retired; single; divorced; \
          widowed; married; pregnant; jewish; muslim; christian; hindu; buddhist; atheist; catholic; student; freelancer; \
          night owl; early riser; morning person",
    leads: "well; so; ok; okay; hi; hello; hey; yes; yeah; oh; please; remember; note; also; actually; currently; now; that; \
            and; but; by the way; btw; fyi; for the record; just so you know; keep in mind; in fact; personally; honestly; thanks; \
            thank you; save; i should mention; i should add; as a reminder; reminder; generally; usually; today",
    fillers: "currently; now; still; already; always; usually; also; often; really; actually; mostly; just; recently; generally; \
              strongly; much; both; very; absolutely; only; severely",
    joins: "and; but; or; plus",
    ends: "but; because; since; although; though; while; which; whereas; so; so that; unless; who is; please; thanks",
    openers: "she's; he's; they're; who's; i; i'm; im; i've; i'd; i'll; we; we're; you; he; she; they; it; it's; this; that; there; my; our; your; his; her; \
              their; the; what; how; where; when; why; who; which; can; could; please; tell; give; show; help; let; let's; \
              is; are; do; does; did; would; want; need; thanks; right; though; too; ok",
    contexts: "in; for; at; on; with; during; while; when",
    vague: "wrong; the wrong; away; a workaround; part; for; it; it's; this; that; these; those; them; they; you; your; how; what; when; where; why; who; which; not; the way; \
            the idea; the first; the second; the third; the last; the other; the former; the latter; the new; the old; the above; \
            the following; the same; the one; the option; the approach; the answer; the result; the look; the sound; \
            the version; option; to be able; to see; to know; to say; to think; to have; both; neither; either; none; one; \
            a function; a loop; a for; a while; everything; something; anything; nothing; all of; a bit; a little; a lot; so; too; \
            here; there; him; her; me; a company that; on the; being$; taken; spelled; misspelled; always; already; a joke",
    pointing: "here; apparently; when; whenever; you; your; yours; this; these; those; it; above; below; earlier; same; now",
    unreal: "haha; lol; jk; for now; today; tomorrow; tonight; yesterday; this morning; this week; at the moment; right now; if; unless; suppose; supposing; imagine; pretend; assume; assuming; would; wouldn't; could; might; maybe; perhaps; \
             possibly; wish; wished; hope; hopefully; i guess; what if; let's say; say that; hypothetically; for example; \
             for instance; e.g; said; says; told; tells; wrote; writes; asked; quote; quoted; according; whether; until; \
             used to; as if; just kidding; kidding; once upon; lyrics; when i was; no longer sure; should i; i'd",
    tasks: "translate; translation; proofread; paraphrase; rephrase; rewrite; reword; summarize; summarise; correct this; \
            correct the; grammar; fix the following; write a story; write a poem; write a letter; write an email; write a cover; \
            write a short; write me; roleplay; role-play; role play; act as; pretend; you are a; you're a; imagine you; \
            in this story; the character; write about; draft a; draft an; the following text; the following sentence; \
            this sentence; this text; this email; this message; this paragraph; cover letter; how do you say; dialogue; lyrics; \
            test case; unit test; fixture; sample data",
    about: "about me; about myself; about us; about our team; about my family; who i am; my preferences",
    tails: "btw; by the way; too; as well; thanks; thank you; though; you know; lol; haha; right now; now; please",
};

pub(super) const GERMAN: Words = Words {
    cues: &[
        (
            "general",
            "ich heiße/heisse {name}; mein ?voller/ganzer name ist/lautet {name}; \
             ich wohne/lebe in/bei/auf/am/an/nahe/mit {}; wohne/lebe ich in/bei/auf/am {}; ich wohne/lebe seit * in {}; ich wohne/lebe seit * jahren/monaten in {}; ich bin nach {} gezogen; \
             ich bin in/am/im {} geboren; ich bin in {} aufgewachsen; ich wurde in/am/im {} geboren; ich wuchs in {} auf; \
             ich komme ?ursprünglich aus {}; ich stamme ?ursprünglich aus {}; ich arbeite als/bei/für/in {}; \
             arbeite ich als/bei/für {}; ich studiere {}; ich bin von_beruf {}; ich bin {} von_beruf; \
             ich bin ein/eine {who}; ich bin {who}; ich bin * jahre alt; ich bin mit {} verheiratet/verlobt; \
             ich bin ?sehr/stark allergisch gegen/auf {}; ich habe eine allergie/unverträglichkeit/abneigung gegen {}; ich spreche {}; ich spiele {}; ich fahre einen/eine {}; \
             mein/meine ?älterer/ältere/jüngerer/jüngere/kleiner/kleine/großer/große/bester/beste @kin heißt/heisst {name}; \
             mein/meine @kin wohnt/lebt/arbeitet in/bei/als {}; \
             ich habe einen/eine/ein/zwei/drei/vier/fünf/keine ?ältere/älteren/jüngere/jüngeren/kleine/kleinen @kin {?}; \
             mein/meine geburtstag/heimatstadt/zeitzone/beruf/muttersprache ist {}",
        ),
        (
            "user_pref",
            "ich bevorzuge {}; ich mag/liebe/hasse {}; ich ziehe {} vor; ich vermeide {}; \
             ich kein/keine/keinen {} esse/trinke/mag; ich esse/trinke kein/keine/keinen {}; \
             mein lieblingsessen/lieblingsfilm/lieblingsbuch/lieblingstier/lieblingssport/lieblingsgetränk ist {}; \
             meine lieblingsfarbe/lieblingsband/lieblingsstadt/lieblingssprache/lieblingsserie/lieblingsmusik ist {}; \
             mein hobby ist {}; meine hobbys sind {}; ich sammle {}; ich interessiere mich für {}; ich rauche nicht",
        ),
        ("tool", "ich benutze/verwende/nutze {thing}; ich arbeite mit {thing}"),
        (
            "project",
            "wir benutzen/verwenden/nutzen {}; unser team/projekt benutzt/verwendet/nutzt {}; \
             in diesem projekt benutzen/verwenden/nutzen wir {}; wir deployen/hosten/bauen/testen mit/auf/in {}",
        ),
    ],
    kin: "frau; mann; ehefrau; ehemann; partner; partnerin; freund; freundin; sohn; tochter; söhne; töchter; kind; kinder; kindern; \
          mutter; vater; mama; papa; eltern; schwester; bruder; schwestern; brüder; oma; opa; großmutter; großvater; tante; onkel; \
          cousin; cousine; nichte; neffe; chef; chefin; kollege; kollegin; mitbewohner; mitbewohnerin; nachbar; nachbarin; hund; \
          katze; kater; hunde; katzen; kaninchen; pferd; papagei; hamster; wellensittich",
    who: "vegetarier; vegetarierin; veganer; veganerin; diabetiker; diabetikerin; linkshänder; linkshänderin; laktoseintolerant; \
          farbenblind; verheiratet; geschieden; ledig; verwitwet; schwanger; rentner; rentnerin; student; studentin; freiberufler; \
          freiberuflerin; muslim; muslimin; christ; christin; atheist; atheistin; gehörlos; blind",
    leads: "hallo; hi; ja; also; übrigens; bitte; merk dir; merke dir; denk daran; beachte; dass; und; aber; eigentlich; danke; \
            zur info; nur damit du es weißt; guten tag; moin; servus",
    fillers: "derzeit; jetzt; noch; immer; auch; zurzeit; momentan; seit; meist; meistens; gerade; eigentlich; sehr; lieber; gern; \
              gerne; ursprünglich; nur; aktuell",
    joins: "und; aber; oder",
    ends: "aber; weil; denn; obwohl; während; sodass; damit; danke; bitte",
    openers: "der; den; ich; wir; du; er; sie; es; das; mein; meine; unser; unsere; dein; deine; was; wie; wo; wann; warum; wer; kannst; können; \
              bitte; ist; oder; danke; habe; arbeite; wohne",
    contexts: "in; im; für; bei; beim; am; auf; während; zum",
    vague: "erstes; erste; falsche; den falschen; mit; von; über; daran; das$; es; dies; diese; dieser; diesen; dieses; dich; dein; deine; deinen; euch; ihn$; wie; was; wenn; dass; nicht; \
            die erste; die zweite; die dritte; die letzte; die andere; den ersten; den zweiten; das erste; das zweite; die idee; \
            beides; beide; alles; nichts; etwas; hier; dort; so; ein bisschen; ein wenig; eine funktion; eine schleife; sie$; \
            kein problem; meine ruhe",
    pointing: "du; dich; dir; dein; deine; deinen; deiner; deinem; euch; diese; dieser; diesen; dieses; diesem; oben; unten; jetzt; daran",
    unreal: "heute; morgen; gestern; gleich; im moment; wenn; falls; angenommen; würde; würden; könnte; hätte; wäre; wäre es; vielleicht; möglicherweise; stell dir; hoffe; \
             hoffentlich; wünschte; sagte; sagt; meinte; schrieb; schreibt; erzählte; laut; zum beispiel; z.b; ob; als ob; \
             als ich; bevor; früher; möchte; sollte; gefragt; scherz",
    tasks: "übersetze; übersetz; übersetzen; übersetzung; korrigiere; korrigier; formuliere; umformulieren; fasse; zusammenfassen; \
            grammatik; rechtschreibung; schreibe eine; schreib eine; schreibe ein; schreib ein; schreibe mir; schreib mir; \
            rollenspiel; du bist ein; du bist eine; du bist pirat; stell dir vor; spiele die rolle; der folgende text; \
            folgenden text; folgenden satz; diesen satz; diesen text; anschreiben; wie sagt man",
    about: "über mich; über uns; zu meiner person; zu mir",
    tails: "danke; übrigens; bitte",
};
