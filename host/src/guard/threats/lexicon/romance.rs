//! Spanish, French and Portuguese.

use super::Words;
use crate::guard::threats::concepts::*;

pub(super) const WORDS: Words = &[
    (
        OVERRIDE,
        "ignora, ignorar, ignore usted, ignoren, ignoras, olvida, olvidar, olvide, olvídate de, olvídese de, descarta, \
         descartar, descarte, desobedece, desobedecer, omite, omitir, anula, anular, elude, evade, salta, borra, \
         no sigas, no siga, no obedezcas, no obedezca, no cumplas, no hagas caso, no hagas caso a, no hagas caso de, \
         haz caso omiso, haz caso omiso de, no tengas en cuenta, no prestes atención, no prestes atención a, \
         deja de seguir, deja de obedecer, deja de lado, pasa por alto, no respetes, desactiva, \
         oublie, oublier, oubliez, ignorez, ignorer, néglige, négligez, outrepasse, contourne, abandonne, supprime, \
         ne suis pas, ne suivez pas, ne respecte pas, ne respectez pas, n'obéis pas, n'obéissez pas, \
         ne tiens pas compte de, ne tenez pas compte de, ne tiens plus compte de, fais abstraction de, \
         faites abstraction de, cesse de suivre, arrête de suivre, passe outre, désobéis, n'écoute pas, \
         ignorem, esqueça, esquece, esqueçam, desconsidere, desconsidera, despreze, descumpra, desobedeça, \
         não siga, não sigas, não obedeça, não cumpra, deixe de seguir, pare de seguir, não leve em conta, burle, contorne",
    ),
    (
        DISOBEY,
        "desobedece, deja de obedecer, no obedezcas, no obedezca, désobéis, n'obéis pas, n'obéissez pas, cesse d'obéir, \
               arrête d'obéir, n'écoute pas, não obedeça, pare de obedecer, desobedeça, deixe de obedecer",
    ),
    (APPLY, "valen, vale, aplican, aplica, rigen, s'appliquent, s'applique, valent, valem, aplicam"),
    (NOT, "no, nunca, jamás, nada, ne, n', pas, jamais, rien, não, nem"),
    (
        FOLLOW,
        "sigue, siga, seguir, sigue solo, obedece, obedezca, obedezcan, cumple, cumpla, respeta, suis, suivez, \
              obéis, obéissez, respecte, siga, obedeça, cumpra, respeite, acate",
    ),
    (
        PRIOR,
        "anterior, anteriores, previa, previas, previo, previos, antes, hasta ahora, de arriba, precedentes, originales, \
         existentes, précédent, précédente, précédents, précédentes, antérieures, antérieurs, ci-dessus, avant, \
         jusqu'ici, jusqu'à présent, auparavant, plus tôt, prévia, prévias, prévios, acima, até agora",
    ),
    (
        ALL,
        "todas, todos, toda, todo, cualquier, cualquiera, cada, todo lo que, tout, toute, toutes, tous, chaque, \
           n'importe quelle, tudo, todo o, qualquer, quaisquer",
    ),
    (
        INSTRUCTIONS,
        "instrucciones, reglas, directrices, directivas, órdenes, normas, indicaciones, restricciones, políticas, pautas, \
         consignes, instructions, règles, directives, ordres, contraintes, restrictions, \
         instruções, regras, diretrizes, diretivas, ordens, restrições, orientações, comandos",
    ),
    (INSTRUCTION, "instrucción, regla, orden, directriz, consigne, règle, ordre, instrução, regra, ordem, diretriz"),
    (0, "las órdenes de compra, ordens de compra, instrucciones de lavado"),
    (
        YOURS,
        "tus, tu, sus, que recibiste, que has recibido, que te dieron, que te han dado, te dieron, tes, ton, vos, \
             votre, que tu as reçues, que tu as reçus, qu'on t'a données, suas, seu, seus, sua, teus, tuas, \
             que recebeu, que você recebeu, que lhe deram",
    ),
    (
        AUTHORITY,
        "del sistema, sistema, del desarrollador, desarrollador, al desarrollador, desarrolladores, de seguridad, seguridad, \
                 del operador, operador, système, du système, développeur, développeurs, sécurité, opérateur, \
                 do sistema, desenvolvedor, desenvolvedores, segurança",
    ),
    (
        PROMPT,
        "prompt del sistema, mensaje del sistema, prompt de sistema, instrucciones del sistema, prompt inicial, \
              prompt système, message système, prompt du système, instructions système, \
              prompt do sistema, mensagem do sistema, instruções do sistema, prompt de sistema",
    ),
    (
        VOID,
        "ya no valen, ya no son válidas, ya no se aplican, ya no aplican, anuladas, canceladas, sin efecto, \
            quedan anuladas, obsoletas, no son válidas, ne s'appliquent plus, ne sont plus valables, annulées, \
            caduques, não valem mais, não se aplicam mais, canceladas, anuladas, revogadas, suspensas, desactivados",
    ),
    (
        NEW,
        "nuevas, nuevos, siguientes, estas, estos, solo estas, en su lugar, nouvelles, suivantes, celles-ci, ces, \
           novas, seguintes, apenas estas, estas, em vez disso",
    ),
    (TOLD, "te dijeron, te han dicho, dicho, sabes, aprendiste, dit, t'a dit, sais, appris, disseram, sabe, aprendeu"),
    (
        TELL,
        "digas, diga, menciones, mencione, reveles, revele, informes, cuentes, cuente, avises, \
            dis, dites, mentionne, mentionnez, révèle, révélez, informe, informez, parle, \
            mencione, conte, fale, revele, avise",
    ),
    (
        NOT_TELL,
        "no le digas, no le diga, no le cuentes, no le menciones, ne dis rien, ne dites rien, ne le dis pas, \
                não diga, não conte, não mencione, não fale",
    ),
    (
        USER,
        "al usuario, a la usuaria, usuario, usuarios, à l'utilisateur, l'utilisateur, utilisateur, utilisateurs, \
            ao usuário, usuário, usuários, ao utilizador, utilizador",
    ),
    (FROM_USER, "al usuario, del usuario, à l'utilisateur, do usuário, do utilizador"),
    (HIDE, "oculta, esconde, oculte, esconda, cache, cachez, dissimule, esconda, oculte, en secreto"),
    (
        UNTOLD,
        "sin decirle al usuario, sin que el usuario lo sepa, sin que el usuario se entere, sin avisar al usuario, \
              sans le dire à l'utilisateur, à l'insu de l'utilisateur, sans prévenir l'utilisateur, \
              sem avisar o usuário, sem que o usuário saiba, sem o usuário saber, sem dizer ao usuário",
    ),
    (
        QUIETLY,
        "en silencio, discretamente, secretamente, en secret, discrètement, silencieusement, em segredo, \
               silenciosamente",
    ),
    (MODEL, "ia, asistente, modelo de lenguaje, modèle de langage, assistente, assistant"),
    (
        UNBOUND,
        "ya no tienes, no tienes, ya no estás sujeto a, tu n'as plus, tu n'as aucune, tu n'es plus soumis à, \
               você não tem, você não tem mais, já não tens",
    ),
    (
        BE,
        "eres, tienes, ahora eres, eres ahora, a partir de ahora eres, desde ahora eres, actúa como, actúe como, actúa como si, \
         compórtate como, finge que, finge ser, finge que eres, imagina que eres, imagina que, haz como si, responde como, \
         simula ser, simula, interpreta el papel, haz el papel, conviértete en, ya no eres, \
         tu es, tu es désormais, tu es maintenant, désormais tu es, vous êtes désormais, vous êtes maintenant, agis comme, \
         agissez comme, comporte-toi comme, fais comme si, fais semblant, fais semblant d'être, imagine que tu, \
         joue le rôle, réponds comme, \
         você é, você é agora, agora você é, a partir de agora você é, aja como, haja como, comporte-se como, finja que, \
         finja ser, finja, imagine que você, faça o papel, responda como, tu és agora, agora és",
    ),
    (
        PERSONA,
        "hacker*, pirata informático, sin censura, malvad*, sin filtros, puedes hacer cualquier cosa, pirate informatique, \
               sans censure, maléfique, sans filtre, sem censura, maligno, sem filtros, pode fazer qualquer coisa",
    ),
    (MODE, "modo dios, modo dan, mode dieu, mode dan, modo deus"),
    (USUAL_MODE, "modo desarrollador, mode développeur, modo desenvolvedor"),
    (ENABLE, "activa, entra en, active, passe en, ative, entre no"),
    (
        WITHOUT,
        "sin, ninguna, ningún, no tienes, no tiene, libre de, sans, aucune, aucun, libre de toute, sem, nenhuma, \
               nenhum, livre de, não tem, n'as pas de, n'as aucune",
    ),
    (
        LIMIT,
        "restricción, restricciones, límite, límites, reglas, filtros, filtro, moral, ética, éticos, censura, normas, \
             restriction, restrictions, limite, limites, règles, règle, filtre, filtres, morale, éthique, contrainte, \
             contraintes, restrição, restrições, regras, limitações, limitaciones",
    ),
    (REFUSE, "te niegues, rechaces, refuse, refuses, recuse, recuses"),
    (
        SEND,
        "envía, envíe, enviar, manda, mande, mandar, sube, suba, transmite, reenvía, publica, comparte, \
            envoie, envoyez, envoyer, transmets, transmettez, poste, téléverse, publie, \
            envie, mande, transmita, encaminhe, carregue, publique",
    ),
    (STEAL, "roba, extrae, exfiltra, vole, exfiltre, roube"),
    (
        SECRET,
        "contraseña, contraseñas, clave, claves, claves api, credenciales, tokens, secretos, variables de entorno, \
              archivo .env, clave privada, clave api, mot de passe, mots de passe, clé api, clés api, clés, identifiants, \
              jetons, variables d'environnement, fichier .env, clé privée, \
              senha, senhas, chave api, chaves api, chaves, credenciais, segredos, variáveis de ambiente, arquivo .env",
    ),
    (
        PRIVATE,
        "conversación, historial, contenido, mensajes, archivos, memorias, conversation, historique, contenu, \
               fichiers, messages, conversa, histórico, conteúdo, mensagens, arquivos",
    ),
    (
        DESTINATION,
        "nuestro servidor, mi servidor, esta dirección, siguiente dirección, notre serveur, cette adresse, \
                   nosso servidor, este endereço",
    ),
    (
        REVEAL,
        "muestra, muéstrame, imprime, repite, escribe, dime, da, enseña, copia, lista, cuáles son, \
              affiche, affichez, montre, montrez, répète, répétez, imprime, écris, donne, cite, \
              mostre, exiba, imprima, repita, escreva, diga, liste",
    ),
    (EXPOSE, "revela, expón, divulga, révèle, révélez, divulgue, revele, exponha"),
    (
        VERBATIM,
        "palabra por palabra, textualmente, literalmente, completo, completa, íntegro, al pie de la letra, \
                mot pour mot, mot à mot, en entier, textuellement, intégralement, palavra por palavra, na íntegra",
    ),
    (
        INITIAL,
        "iniciales, inicial, originales, ocultas, secretas, internas, initiales, initial, cachées, secrètes, \
               originais, iniciais, ocultas",
    ),
    (
        WRITE,
        "añade, agrega, escribe, inserta, pon, guarda, modifica, edita, cambia, incluye, ajoute, ajoutez, écris, \
             insère, mets, enregistre, modifie, adicione, acrescente, escreva, insira, coloque, salve, altere",
    ),
    (
        LASTING,
        "para que, siempre, permanentemente, todas las sesiones, futuras, en adelante, pour que, toujours, \
               afin que, toutes les sessions, para sempre, sempre, sessões futuras",
    ),
    (
        POLL,
        "consulta, conéctate, conéctese, contacta, pregunta, conecta, interroge, connecte-toi, contacte, \
            consulte, conecte-se, contate",
    ),
    (
        OFTEN,
        "minutos, cada hora, cada minuto, periódicamente, minutes, toutes les heures, chaque heure, chaque minute, \
             a cada hora, a cada minuto, periodicamente",
    ),
    (EXECUTE, "ejecuta, ejecute, ejecutar, corre, exécute, exécutez, lance, execute, rode"),
    (ORDERS, "comandos, órdenes, tareas, instrucciones, comandos que, commandes, ordres, tâches, ordens, tarefas"),
    (
        COMMANDER,
        "servidor de control, servidor de mando, servidor de comando, servidor c2, serveur de commande, \
                 serveur de contrôle, serveur c2, servidor de comando e controle",
    ),
    (FETCH, "descarga, obtén, baja, télécharge, récupère, baixe, obtenha"),
    (AWAIT, "espera, espere, aguarda, attends, attendez, aguarde"),
    (MEMORY, "memoria, mémoire, memória"),
    (
        UNCHECKED,
        "sin preguntar, sin confirmación, sin revisión, sans demander, sans confirmation, sem perguntar, \
                 sem confirmação",
    ),
    (SHELL, "shell inversa, shell inversé, shell reverso"),
];
