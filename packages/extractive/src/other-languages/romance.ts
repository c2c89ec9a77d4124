import { anyOf, type Language, setOf, startsWithAnyOf } from './language.ts';

export const spanish: Language = {
  code: 'es',
  letters: /ñ/,
  common: setOf(
    `el la los las de que y en un una es mi mis soy tengo con para por no me se como muy pero desde del al estoy hace
     años lo su nuestro nuestra yo más cada este esta todos todas también he ha fue era son mucho ya o porque cuando`,
  ),
  speaker:
    anyOf(String.raw`yo / mi / mis / nosotros / nosotras / nuestr[oa]s? / soy / estoy / tengo / vivo / vivimos /
       trabajo / trabajamos / estudio / nací / crecí / estudié / trabajé / viví / escribo / pinto / leo / no (?:como|bebo|fumo) / llevo / hablo / juego / toco / corro /
       prefiero / odio / uso / colecciono / enseño / cocino / voy / fui / era / he \p{L}+[iad]d?o /
       me (?:gusta*|encanta*|mud[éo]|cas[éo]|jubil[éo]|llamo|interesa*|molesta*|dedico|levanto|diagnosticaron|operaron) /
       compré / compramos / tuve / tuvimos / empecé / terminé / aprendo / viajo / viajé / somos /
       tenemos`),
  refused: [
    anyOf(String.raw`tú / te / ti / tu / tus / contigo / usted / ustedes / vos / por favor / gracias`),
    startsWithAnyOf(String.raw`puede* / podría* / quién / qué / cómo / dónde / cuándo / cuál* / cuánt* / por qué / si /
       imagina* / supon* / escribe* / escríbe* / escriba* / explic* / traduc* / resum* / dame / dime / muestr* / haz / hazme / crea /
       corrig* / ayuda* / ayúda* / mejora / revisa / analiza / compara / busca / encuentra / recuerd* /
       ignora / olvida / aquí`),
    anyOf(String.raw`quizás? / tal vez / ojalá / podría* / sería* / tendría* / gustaría / probablemente /
       a lo mejor /
       (?:quiero|quería|necesito|busco)(?: \p{L}+){0,2} (?:saber|preguntar*|entender|decir*|ayuda|consejos?|ideas|que|información) /
       no (?:sé|entiendo|recuerdo|estoy segur[oa]) / (?:creo|pienso|espero|entiendo|supongo) que /
       estoy(?: \p{L}+){0,2} (?:cansad[oa]|feliz|triste|content[oa]|enfadad[oa]|segur[oa]|list[oa]|confundid[oa]|buscando)`),
  ],
};

export const french: Language = {
  code: 'fr',
  letters: /[œ]/,
  common: setOf(
    `le la les des je j et est un une mon ma mes de du dans pour avec que qui ne pas suis ai depuis très au aux nous
     sur en notre nos il elle ce cette c mais ou plus tous toutes chaque fait été par chez comme l d n m me ans`,
  ),
  speaker: anyOf(String.raw`je / j' / mon / ma / mes / nous / notre / nos / j'\p{L}+`),
  refused: [
    anyOf(
      String.raw`tu / te / t'\p{L}+ / toi / ton / ta / tes / vous / votre / vos / merci / s'il (?:te|vous) plaît`,
    ),
    startsWithAnyOf(String.raw`peux / pouvez / pourr* / qui / que / qu'\p{L}+ / quel* / comment / où / quand / pourquoi /
       combien / est-ce / si / imagine* / suppos* / écri* / expliqu* / tradui* / résum* / donne* /
       dis / dites / montre* / fais / faites / crée* / corrige* / aide* / améliore* / vérifie* /
       analyse* / compare* / cherche* / trouve* / rappelle* / souviens / ignore* / oublie* / voici /
       voilà`),
    anyOf(String.raw`peut-être / pourrais / pourrait / serais? / serait / aurais / aurait / probablement /
       sans doute /
       (?:voudrais|aimerais|veux|souhaite)(?: \p{L}+){0,2} (?:savoir|demander|comprendre|dire|que) /
       qu'on /
       (?:besoin|cherche)(?: \p{L}+){0,2}(?: d[eu'’]\s?)? ?(?:aide|conseils?|idées|informations?) /
       je (?:ne )?(?:sais|comprends|me demande|pense|crois|trouve|vois|suppose|espère) /
       je suis(?: \p{L}+){0,2} (?:fatiguée?|contente?|triste|heureu(?:x|se)|perdue?|sûre?|prête?|désolée?)`),
  ],
};

export const portuguese: Language = {
  code: 'pt',
  letters: /[ãõ]/,
  common: setOf(
    `o a os as de que e em um uma meu minha meus minhas não com para eu sou tenho no na do da dos das por mas muito há
     anos estou foi era é se me mais como desde nosso nossa também todo toda cada já ou à ao nos nas uma porque`,
  ),
  speaker:
    anyOf(String.raw`eu / meus? / minhas? / nós / noss[oa]s? / sou / estou / tenho / moro / moramos / trabalho /
       trabalhamos / estudo / nasci / cresci / falo / jogo / toco / corro / prefiro / odeio / gosto /
       adoro / uso / escrevo / leio / ensino / vou / fui / me (?:mudei|casei|aposentei|formei|chamo) / comprei /
       comprámos / compramos / comecei / terminei / viajo / viajei / somos / temos / mudei / casei`),
  refused: [
    anyOf(String.raw`tu / te / ti / teus? / tuas? / contigo / você / vocês / por favor / obrigad[oa]`),
    startsWithAnyOf(String.raw`pode* / poderia / consegue* / quem / o que / que / como / onde / quando / qual / quais /
       quant* / por que / porquê / se / imagin* / supon* / escrev[ae]* / expli(?:que|ca)* / traduz / traduza / traduzir / resum* /
       dá-me / me dê / diga / diz / mostre* / mostra / faça / faz(?! \p{L}+ (?:anos?|mês|meses|dias?|semanas?|tempo)) / cri[ae] / corri[gj]* / ajud[ae]* / melhor[ae] /
       revis[ae] / analis[ae] / compar[ae] / procur[ae] / encontr[ae] / lembr[ae] / ignor[ae] /
       esqueç[ae] / aqui`),
    anyOf(String.raw`talvez / poderia / seria / teria / gostaria / provavelmente / tomara / quem sabe /
       (?:quero|queria|preciso|procuro)(?: \p{L}+){0,2} (?:saber|perguntar|entender|dizer|ajuda|conselhos?|dicas|ideias|que|informações) /
       não (?:sei|entendo|lembro|tenho certeza) / (?:acho|penso|espero|entendo|creio) que /
       estou(?: \p{L}+){0,2} (?:cansad[oa]|feliz|triste|contente|zangad[oa]|pront[oa]|confus[oa]|procurando)`),
  ],
};

export const italian: Language = {
  code: 'it',
  letters: null,
  common: setOf(
    `il lo la gli le di che e un una mio mia miei mie non con per sono ho nel nella da in molto anni mi del della dei
     al alla alle agli allo io noi nostro nostra ma come più ogni è era ha si ci anche sempre spesso o perché uno dal dalla i a`,
  ),
  speaker:
    anyOf(String.raw`io / noi / mi[oae] / miei / nostr[oaie] / sono / ho / abbiamo / abito / abitiamo / vivo /
       viviamo / lavoro / lavoriamo / studio / parlo / gioco / suono / corro / preferisco / odio /
       amo / uso / scrivo / leggo / non (?:mangio|bevo|fumo) / insegno / vado / mi (?:piac\p{L}+|chiamo|sono \p{L}+|occupo|trasferirò|alzo) /
       viaggio / cucino / imparo / siamo`),
  refused: [
    anyOf(String.raw`tu / te / ti / tuo / tua / tuoi / tue / voi / vi / vostr[oaie] / per favore / grazie`),
    startsWithAnyOf(String.raw`puoi / può / potresti / potrebbe / chi / che cosa / cosa / come / dove / quando / quale /
       quali / quant* / perché / se / immagina / supponi* / scrivi* / scriva / spieg(?:a|hi)* / traduci* / traduca / riassum* /
       dammi / dimmi / mostra* / fai / fammi / crea / correggi* / correggimi / aiuta* / migliora / controlla /
       analizza / confronta / cerca / trova / ricorda* / ignora / dimentica / ecco`),
    anyOf(String.raw`forse / magari / potrei / potrebbe / sarei / sarebbe / avrei / avrebbe / vorrei /
       probabilmente /
       (?:voglio|volevo|cerco)(?: \p{L}+){0,2} (?:sapere|chiedere|capire|dire|aiuto|consigli|idee|che|informazioni) /
       ho bisogno / ho una domanda / non (?:so|capisco|ricordo|sono sicur[oa]) /
       (?:credo|penso|spero|capisco) che /
       sono(?: \p{L}+){0,2} (?:stanc[oa]|felice|triste|content[oa]|arrabbiat[oa]|sicur[oa]|pront[oa]|confus[oa])`),
  ],
};
