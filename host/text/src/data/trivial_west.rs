//! Greetings, thanks, acknowledgements in Latin, Cyrillic and Greek letters, sorted within each language.
//!
//! A phrase makes a message trivial; a filler may only stand beside a phrase. No filler is a name of a thing.

use crate::trivial::Table;

pub(crate) const TABLES: [Table; 17] = [
    // Bulgarian.
    Table {
        language: "bg",
        phrases: "\
            благодаря, благодаря ти, да, добре, добро утро, добър вечер, добър ден, довиждане, здравей, \
            здравейте, здрасти, лека нощ, мерси, моля, не, няма защо, няма проблем, окей, отлично, \
            продължавай, продължи, разбира се, разбрах, супер, съгласен, съгласна, точно, чао, чудесно, \
            ясно",
        fillers: "\
            ви, всички, за всичко, за помощта, много, ти",
    },
    // Czech.
    Table {
        language: "cs",
        phrases: "\
            ahoj, ano, dobrou noc, dobrá, dobré ráno, dobrý den, dobrý večer, dobře, díky, děkuji, \
            děkuju, hotovo, jasné, jasně, jo, mockrát děkuji, na shledanou, nashledanou, ne, není zač, \
            perfektní, pokračuj, pokračujte, prosím, rozumím, skvěle, skvělé, souhlasím, super, \
            v pořádku, výborně, čau",
        fillers: "\
            mnohokrát, moc, všem, za pomoc, za všechno",
    },
    // German.
    Table {
        language: "de",
        phrases: "\
            alles gut, alles klar, auf wiedersehen, besten dank, bitte, bitte schön, bitte weiter, danke, \
            danke schön, danke sehr, dankeschön, einverstanden, genau, gerne, grüß gott, gut, gute nacht, \
            guten abend, guten morgen, guten tag, hallo, herzlichen dank, ich verstehe, ja, jawohl, jo, \
            klar, mach weiter, moin, na gut, natürlich, nee, nein, passt, perfekt, prima, richtig, schön, \
            servus, sicher, stimmt, super, toll, tschüss, tschüß, verstanden, vielen dank, weiter, \
            wie geht's, wunderbar",
        fillers: "\
            auch, dir, doch, für alles, für deine hilfe, für die hilfe, gerne, ihnen, leute, liebe leute, \
            sehr, tausend, vielmals, zusammen",
    },
    // Greek.
    Table {
        language: "el",
        phrases: "\
            αντίο, βεβαίωσ, γεια, γεια σασ, γεια σου, εντάξει, ευχαριστούμε, ευχαριστώ, ευχαριστώ πολύ, \
            καλά, καλημέρα, καληνύχτα, καλησπέρα, κατάλαβα, μάλιστα, ναι, οκ, οκέι, παρακαλώ, περίφημα, \
            πολύ καλά, συμφωνώ, συνέχισε, συνεχίστε, σωστά, τέλεια, τέλειο, χαίρετε, ωραία, ωραίο, όχι",
        fillers: "\
            για τη βοήθεια, για όλα, λοιπόν, πάρα πολύ, πολύ, σασ, σε, όλουσ",
    },
    // English.
    Table {
        language: "en",
        phrases: "\
            absolutely, agreed, ah, aha, alright, alright then, amazing, appreciate it, awesome, bye, \
            bye bye, certainly, cheers, continue, cool, correct, definitely, do it, done, exactly, \
            excellent, fair enough, fantastic, fine, go, go ahead, go for it, go on, good, \
            good afternoon, good day, good evening, good job, good morning, good night, good point, \
            good to know, good work, goodbye, got it, great, great job, great work, greetings, hello, \
            hey, hi, hii, hiya, hm, hmm, how are you, how are you doing, how's it going, howdy, i agree, \
            i appreciate it, i see, i understand, indeed, it works, k, keep going, keep it up, kk, lgtm, \
            lol, looks good, looks good to me, love it, makes sense, many thanks, morning, \
            much appreciated, my bad, n, nah, never mind, nevermind, next, nice, nice to meet you, \
            nice work, no, no problem, no worries, noice, nope, not bad, noted, np, of course, oh, ok, \
            okay, okey, oki, okie, okk, oops, perfect, please continue, please do, please go on, \
            please proceed, proceed, right, roger, see you, see you later, sorry, sounds good, \
            sounds great, splendid, sup, superb, sure, sure thing, sweet, ta, talk to you later, test, \
            thank u, thank you, thanks, thankyou, that works, that's all, that's fine, that's good, \
            that's great, that's it, that's right, thx, tnx, true, ty, tysm, tyvm, understood, very good, \
            very well, welcome, well done, what's up, wonderful, wow, y, ya, yay, yea, yeah, yep, yes, \
            yess, yo, you're welcome, yup",
        fillers: "\
            a bunch, a lot, a million, a ton, again, all, and, and you, anyway, as well, assistant, bro, \
            buddy, dear, dude, everybody, everyone, folks, for all your help, for everything, for that, \
            for the help, for this, for your help, for your time, friend, guys, hermes, i, just, man, \
            mate, my friend, now, please, pls, really, sir, so, so far, so much, team, then, there, \
            to all, to you, today, too, uh, um, very, very much, well, you, you too, your help",
    },
    // Spanish.
    Table {
        language: "es",
        phrases: "\
            adelante, adios, adiós, bien, buen día, buen trabajo, buenas, buenas noches, buenas tardes, \
            bueno, buenos dias, buenos días, claro, claro que sí, comprendido, continua, continúa, \
            correcto, dale, de acuerdo, de nada, entendido, entiendo, es cierto, estupendo, exacto, \
            excelente, genial, gracias, hasta luego, hasta mañana, hola, listo, me parece bien, \
            mil gracias, muchas gracias, muchísimas gracias, muy amable, muy bien, no, ok gracias, \
            perfecto, por favor, por supuesto, qué bien, qué tal, seguro, si, sigue, sí, vale, venga, \
            ya veo",
        fillers: "\
            a ti, a todos, amigo, amigos, muchas, por la ayuda, por todo, por tu ayuda, pues, todos, tío",
    },
    // French.
    Table {
        language: "fr",
        phrases: "\
            ah, au revoir, avec plaisir, bien, bien reçu, bien sûr, bonjour, bonne journée, bonne nuit, \
            bonne soirée, bonsoir, bravo, c'est bon, c'est parfait, c'est ça, compris, continue, \
            continuez, coucou, d'accord, daccord, de rien, entendu, exact, exactement, génial, \
            je comprends, je vois, je vous remercie, merci, mille mercis, nickel, non, noté, \
            ok ça marche, ouais, oui, parfait, pas de problème, reçu, s'il te plaît, s'il vous plaît, \
            salut, super, top, très bien, vas y, vas-y, ça marche, ça va",
        fillers: "\
            beaucoup, bien, encore, et toi, et vous, infiniment, madame, monsieur, pour l'aide, \
            pour ton aide, pour tout, pour votre aide, tout le monde, à toi, à tous, à vous",
    },
    // Indonesian.
    Table {
        language: "id",
        phrases: "\
            bagus, baik, baiklah, benar, betul, boleh, hai, halo, iya, lanjut, lanjutkan, maaf, makasih, \
            mantap, mengerti, oke, paham, permisi, sama sama, sampai jumpa, selamat malam, selamat pagi, \
            selamat siang, selamat sore, setuju, siap, sip, tentu, tentu saja, terima kasih, terimakasih, \
            tidak, tidak apa apa, ya",
        fillers: "\
            atas bantuannya, banget, banyak, kak, mas, pak, semua, semuanya, ya",
    },
    // Italian.
    Table {
        language: "it",
        phrases: "\
            a dopo, a presto, arrivederci, bene, benissimo, bravo, buona giornata, buona notte, \
            buona sera, buonanotte, buonasera, buongiorno, capisco, capito, certamente, certo, chiaro, \
            ciao, come stai, continua, d'accordo, di niente, esatto, fatto, figurati, grazie, \
            grazie mille, mille grazie, molte grazie, no, ok grazie, ottimo, per favore, perfetto, prego, \
            procedi, ricevuto, salve, si, sì, ti ringrazio, tutto bene, tutto chiaro, va bene, vai, \
            vai avanti",
        fillers: "\
            a te, a tutti, allora, davvero, di cuore, di tutto, infinite, mille, molto, per l'aiuto, \
            per tutto, ragazzi, tante, tutti",
    },
    // Dutch.
    Table {
        language: "nl",
        phrases: "\
            akkoord, alsjeblieft, bedankt, begrepen, dag, dank je, dank je wel, dank u, dank u wel, \
            dankjewel, doei, duidelijk, ga door, ga verder, goed, goedemiddag, goedemorgen, goedenavond, \
            goeiemorgen, hallo, hartelijk dank, heel erg bedankt, helder, hoi, ja, jazeker, mooi, nee, \
            oke, oké, perfect, prima, snap ik, top, tot ziens, veel dank, welterusten",
        fillers: "\
            allemaal, daar, heel erg, hoor, je, voor alles, voor de hulp, voor je hulp, wel",
    },
    // Polish.
    Table {
        language: "pl",
        phrases: "\
            czesc, cześć, do widzenia, do zobaczenia, dobra, dobranoc, dobry wieczór, dobrze, dzieki, \
            dziekuje, dzień dobry, dzięki, dziękuję, dziękuję bardzo, hej, idealnie, jasne, kontynuuj, \
            nie, nie ma problemu, nie ma za co, oczywiście, okej, perfekcyjnie, pewnie, proszę, rozumiem, \
            siema, spoko, super, tak, w porządku, witaj, witam, zgoda, zrozumiałam, zrozumiałem, \
            świetnie",
        fillers: "\
            bardzo, ci, wam, wielkie, wszystkim, za pomoc, za wszystko",
    },
    // Portuguese.
    Table {
        language: "pt",
        phrases: "\
            adeus, até logo, até mais, beleza, blz, boa, boa noite, boa tarde, bom, bom dia, certo, \
            claro, combinado, compreendi, continua, continue, correto, de nada, entendi, entendido, \
            exatamente, excelente, isso, isso mesmo, legal, muito bem, muito bom, muito obrigada, \
            muito obrigado, nao, não, obrigada, obrigado, obrigadão, oi, ola, olá, perfeito, \
            pode continuar, por favor, prossiga, show, sim, tchau, tudo bem, tudo bom, tudo certo, tá, \
            tá bom, valeu, vlw, ótimo",
        fillers: "\
            a todos, amigo, gente, mesmo, muito, pela ajuda, pessoal, por tudo, você",
    },
    // Russian.
    Table {
        language: "ru",
        phrases: "\
            ага, аминь, благодарю, большое спасибо, будь здоров, верно, вперед, все, всего доброго, \
            годится, готово, да, давай, давай дальше, давайте, далее, дальше, до встречи, до завтра, \
            до свидания, добро, доброго дня, доброе утро, добрый вечер, добрый день, договорились, \
            здорово, здравствуй, здравствуйте, здрасте, идет, извини, извините, именно, как дела, класс, \
            конечно, круто, ладно, лол, молодец, не за что, не надо, неа, неплохо, нет, ничего страшного, \
            норм, нормально, ого, ок, окей, океюшки, отлично, пасиб, пасибо, поехали, пожалуйста, пойдет, \
            пока, понял, поняла, понятно, пошел дальше, превосходно, прекрасно, привет, приветик, \
            приветствую, принято, продолжай, продолжайте, прости, простите, рад знакомству, \
            с добрым утром, согласен, согласна, сойдет, спасибки, спасибо, спасибо большое, \
            спокойной ночи, спс, супер, так держать, так точно, точно, угу, удачи, ура, хай, хелло, хм, \
            хорошая работа, хорошо, чудесно, ясно, ясно понятно",
        fillers: "\
            большое, большущее, брат, бро, вам, всем, друг, друзья, еще раз, же, за все, за помощь, и, \
            и вам, и тебе, мне, народ, но, ну, огромное, очень, просто, прям, ребята, так, тебе, тогда, \
            уже",
    },
    // Swedish.
    Table {
        language: "sv",
        phrases: "\
            bra, det är bra, fortsätt, förstår, god kväll, god morgon, godmorgon, hallå, hej, hej då, \
            hejdå, hejsan, ingen fara, ja, jag förstår, jaha, japp, jo, jättebra, klart, nej, okej, \
            perfekt, precis, självklart, tack, tack så mycket, tackar, toppen, visst",
        fillers: "\
            alla, för allt, för hjälpen, på dig, så mycket",
    },
    // Turkish.
    Table {
        language: "tr",
        phrases: "\
            aferin, anladım, aynen, devam, devam et, doğru, elbette, eline sağlık, evet, eyvallah, \
            görüşürüz, günaydın, güzel, harika, hayır, hoşça kal, iyi, iyi akşamlar, iyi geceler, \
            iyi günler, kolay gelsin, lütfen, merhaba, merhabalar, mükemmel, nasılsın, olur, peki, \
            peki o zaman, rica ederim, sağ ol, sağ olun, sağol, selam, selamlar, süper, tabii, tabii ki, \
            tamam, tamamdır, tesekkurler, teşekkür ederim, teşekkür ederiz, teşekkürler, yok, çok iyi, \
            çok teşekkür ederim, çok teşekkürler",
        fillers: "\
            abi, arkadaşlar, dostum, hepinize, her şey için, herkese, hocam, o zaman, yardımın için, çok",
    },
    // Ukrainian.
    Table {
        language: "uk",
        phrases: "\
            авжеж, бувай, будь ласка, відмінно, вітаю, гаразд, далі, до зустрічі, до побачення, добраніч, \
            добре, добридень, добрий вечір, добрий день, доброго дня, доброго ранку, домовились, \
            дуже дякую, дякую, дякую дуже, звичайно, згоден, згодна, зрозумів, зрозуміла, зрозуміло, \
            класно, красно дякую, на добраніч, нема за що, ні, ок, окей, перепрошую, привіт, продовжуй, \
            продовжуйте, прошу, супер, так, точно, чудово, щиро дякую, як справи, ясно",
        fillers: "\
            вам, велике, всім, дуже, за все, за допомогу, тобі, щиро",
    },
    // Vietnamese.
    Table {
        language: "vi",
        phrases: "\
            chào, chào buổi sáng, chào bạn, chúc ngủ ngon, cám ơn, cảm ơn, cảm ơn bạn, cảm ơn nhiều, dạ, \
            dạ vâng, hiểu rồi, không, không có gì, không sao, ok nhé, rồi, tiếp tục, tiếp tục đi, \
            tiếp đi, tuyệt, tuyệt vời, tôi hiểu, tạm biệt, tốt, tốt lắm, vâng, xin chào, xin cảm ơn, \
            xin lỗi, à, đúng, đúng rồi, được, được rồi, đồng ý, ừ",
        fillers: "\
            anh, bạn, chị, em, lắm, mọi người, nhiều, nhé, rất, ạ",
    },
];
