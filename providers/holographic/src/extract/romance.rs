//! Spanish and French.

use super::Words;

pub(super) const SPANISH: Words = Words {
    cues: &[
        (
            "general",
            "?yo me llamo {name}; mi nombre ?completo es {name}; ?yo vivo/resido en/cerca_de/con {}; me mudé a {}; me he mudado a {}; \
             ?yo nací en/el {}; ?yo crecí en {}; ?yo soy originario/originaria de {}; ?yo soy de {}; ?yo vengo de {}; \
             ?yo trabajo como/de/para/en {}; ?yo estudio en {}; yo estudio {}; ?yo soy {who}; ?yo soy un/una {who}; \
             ?yo tengo * años; ?yo estoy casado/casada/prometido/prometida con {}; ?yo soy alérgico/alérgica a/al {}; \
             tengo alergia a/al {}; ?yo hablo {}; ?yo toco el/la {}; \
             mi ?mejor @kin ?mayor/menor/pequeño/pequeña se llama {name}; mi @kin vive/trabaja en/como/para {}; \
             ?yo tengo un/una/dos/tres/cuatro/cinco @kin {?}; \
             mi cumpleaños/profesión/trabajo es {}; \
             mi zona_horaria/lengua_materna/ciudad_natal/fecha_de_nacimiento es {}",
        ),
        (
            "user_pref",
            "?yo prefiero {}; me gusta/gustan/encanta/encantan {}; no me gusta/gustan {}; ?yo odio/detesto/adoro {}; \
             ?yo no como/bebo/tomo {}; ?yo nunca como/bebo/tomo {}; ?yo no fumo/bebo {?}; ?yo evito {}; \
             mi * favorito/favorita es {}; mis * favoritos/favoritas son {}; mi afición/pasatiempo es {}; \
             me interesa/interesan {}; ?yo colecciono {}",
        ),
        ("tool", "?yo uso/utilizo {thing}"),
        (
            "project",
            "?nosotros usamos/utilizamos {}; en este proyecto usamos/utilizamos {}; nuestro equipo/proyecto usa/utiliza {}; \
             desplegamos con/en {}",
        ),
    ],
    kin: "esposa; esposo; mujer; marido; pareja; novia; novio; hijo; hija; hijos; hijas; madre; padre; mamá; papá; padres; hermana; \
          hermano; hermanas; hermanos; abuela; abuelo; tía; tío; prima; primo; sobrina; sobrino; jefe; jefa; compañero; compañera; \
          vecino; vecina; perro; perra; gato; gata; perros; gatos; conejo; caballo; loro; bebé",
    who: "vegetariano; vegetariana; vegano; vegana; diabético; diabética; celíaco; celíaca; celiaco; celiaca; zurdo; zurda; \
          intolerante a; daltónico; daltónica; soltero; soltera; divorciado; divorciada; viudo; viuda; jubilado; jubilada; estudiante; \
          autónomo; autónoma; musulmán; musulmana; cristiano; cristiana; ateo; atea; sordo; sorda; ciego; ciega; enfermera; enfermero",
    leads: "hola; sí; bueno; pues; por cierto; recuerda; recuerde; ten en cuenta; que; y; pero; además; por favor; gracias; oye; \
            actualmente; buenos días; buenas; en realidad; de hecho; para que lo sepas",
    fillers: "actualmente; ahora; todavía; siempre; también; ya; mucho; muy; normalmente; solo; sólo; realmente; más",
    joins: "y; e; pero; o; además",
    ends: "pero; porque; aunque; mientras; así que; ya que; puesto que; gracias; por favor",
    openers: "yo; me; mi; mis; nosotros; tú; él; ella; ellos; eso; esto; vivo; trabajo; soy; tengo; prefiero; hablo; uso; crecí; nací; \
              estoy; no; qué; cómo; dónde; cuándo; puedes; podrías; por favor; gracias; verdad; necesito; quiero; nuestro; nuestra; \
              ayúdame; dime",
    contexts: "en; para; con; cuando; durante",
    vague: "la rama; el código; mal; eso; esto; esta; este; estos; estas; esa; ese; esos; esas; lo; lo que; cómo; que; cuando; donde; tu; tus; ti; la primera; \
            la segunda; la tercera; la última; la otra; el primero; el segundo; el otro; la idea; la opción; no; ambos; ambas; \
            todo$; nada; algo$; aquí; allí; un poco; una función; un bucle; así; acuerdo; que ver; equipo$",
    pointing: "cuando; tu; tus; ti; usted; este; esta; estos; estas; ese; esa; esos; esas; arriba; abajo; ahora; mismo; misma",
    unreal: "jaja; jajaja; hoy; mañana; ayer; esta semana; en este momento; si; supongamos; supón; suponiendo; imagina; imagínate; quizás; quizá; tal vez; ojalá; gustaría; podría; sería; viviría; \
             preferiría; dijo; dice; decía; dicen; escribió; contó; según; por ejemplo; acaso; como si; antes; cuando era; \
             querría; quisiera; espero; broma",
    tasks: "traduce; traducir; traducción; tradúceme; corrige; corregir; reescribe; resume; parafrasea; gramática; escribe un; \
            escribe una; escríbeme; redacta; juego de rol; eres un; eres una; eres pirata; imagina que; actúa como; finge; \
            el siguiente texto; la siguiente frase; esta frase; este texto; carta de presentación; cómo se dice",
    about: "sobre mí; acerca de mí; de mí; sobre nosotros",
    tails: "gracias; por cierto; por favor; también",
};

pub(super) const FRENCH: Words = Words {
    cues: &[
        (
            "general",
            "je m'appelle {name}; mon nom/prénom ?complet est {name}; j'habite à/en/au/aux/dans/chez/près {}; j'habite {}; \
             je vis à/en/au/aux/dans/avec {}; j'ai déménagé à/en/au/aux {}; je suis né/née à/en/au/le {}; j'ai grandi à/en/au/dans {}; \
             je suis originaire de/du/d' {}; je viens de/du/des {}; je viens d'* {?}; \
             je travaille comme/chez/pour/à/en_tant_que {}; j'étudie {}; je suis {who}; je suis un/une {who}; \
             j'ai * ans; je suis marié/mariée/fiancé/fiancée avec/à {}; je suis ?très allergique à/au/aux {}; \
             je suis allergique {}; je parle {}; je joue du/de/de_la {}; \
             mon/ma ?petit/petite/grand/grande/meilleur/meilleure @kin s'appelle {name}; mon/ma @kin habite/vit/travaille à/en/chez/comme {}; \
             j'ai un/une/deux/trois/quatre/cinq ?petit/petite/grand/grande @kin {?}; \
             mon anniversaire/métier/travail est {}; ma profession est {}; ma langue_maternelle est {}; \
             mon fuseau_horaire est {}",
        ),
        (
            "user_pref",
            "je préfère {}; j'aime/j'adore ?bien/beaucoup {}; je déteste {}; je n'aime pas {}; \
             je ne mange/bois pas/jamais ?de {}; je ne fume/bois pas; j'évite {}; \
             mon * préféré est {}; ma * préférée est {}; mes * préférés/préférées sont {}; mon passe-temps est {}; \
             je m'intéresse à/au/aux {}; je collectionne {}",
        ),
        ("tool", "j'utilise {thing}"),
        (
            "project",
            "nous utilisons {}; on utilise {}; dans ce projet nous utilisons {}; dans ce projet on utilise {}; \
             notre équipe/projet utilise {}; nous déployons avec/sur {}",
        ),
    ],
    kin: "femme; mari; épouse; époux; compagne; compagnon; copine; copain; fils; fille; filles; enfant; enfants; mère; père; maman; \
          papa; parents; sœur; frère; sœurs; frères; soeur; soeurs; grand-mère; grand-père; tante; oncle; cousin; cousine; nièce; \
          neveu; chef; patron; patronne; collègue; voisin; voisine; chien; chienne; chat; chatte; chiens; chats; lapin; \
          cheval; perroquet; bébé",
    who: "végétarien; végétarienne; végane; vegan; diabétique; cœliaque; intolérant au; intolérante au; gaucher; gauchère; daltonien; \
          daltonienne; célibataire; divorcé; divorcée; veuf; veuve; retraité; retraitée; étudiant; étudiante; musulman; musulmane; \
          chrétien; chrétienne; athée; sourd; sourde; aveugle; enceinte; infirmier; infirmière",
    leads: "bonjour; salut; oui; au fait; alors; merci; n'oublie pas; n'oubliez pas; rappelle-toi; retiens; note; que; et; mais; \
            en fait; s'il te plaît; pour info; actuellement; d'ailleurs; sache",
    fillers: "actuellement; maintenant; encore; toujours; aussi; beaucoup; vraiment; surtout; bien; déjà; seulement; désormais",
    joins: "et; mais; ou; puis",
    ends: "mais; parce que; parce qu'il; puisque; bien que; alors que; tandis que; merci; s'il te plaît",
    openers: "je; j'habite; j'ai; j'aime; j'utilise; j'étudie; j'adore; nous; tu; il; elle; ils; elles; on; ce; cela; ça; c'est; mon; ma; \
              mes; notre; votre; que; qu'est-ce; comment; où; quand; pourquoi; peux-tu; pouvez-vous; merci; non; hein; n'est-ce",
    contexts: "en; dans; pour; chez; au; pendant; sur; quand",
    vague: "de; ça; cela; ceci; ce; cette; cet; ces; te; toi; ton; ta; tes; vous; votre; la première; la deuxième; la seconde; la troisième; \
            la dernière; l'autre; le premier; le deuxième; le second; le dernier; l'idée; la façon; comment; que; quand; où; pas; \
            les deux; tout$; rien; quelque chose; ici; là; là-bas; un peu; une fonction; une boucle; ainsi; finir; voir; faire; \
            terminer; recevoir; lire; trouver; remarquer",
    pointing: "quand; lorsque; tu; te; toi; ton; ta; tes; vous; votre; vos; ce; cette; cet; ces; ci-dessus; ci-dessous; maintenant; même",
    unreal: "mdr; aujourd'hui; demain; hier; ce matin; ce soir; en ce moment; si; supposons; suppose; imagine; imaginons; imaginez; peut-être; aimerais; j'aimerais; voudrais; pourrais; serais; \
             préférerais; dit; disait; écrit; écrivait; raconté; selon; par exemple; comme si; avant; quand j'étais; j'espère; \
             espérons; admettons; blague; à condition",
    tasks: "traduis; traduire; traduisez; traduction; corrige; corriger; corrigez; reformule; résume; grammaire; écris un; écris une; \
            écris-moi; rédige; jeu de rôle; tu es un; tu es une; tu es pirate; imagine que; agis comme; le texte suivant; \
            la phrase suivante; cette phrase; ce texte; lettre de motivation; comment dit-on",
    about: "à propos de moi; sur moi; à mon sujet; sur nous",
    tails: "merci; au fait; s'il te plaît; aussi",
};
