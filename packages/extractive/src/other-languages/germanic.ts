import { anyOf, type Language, setOf, startsWithAnyOf } from './language.ts';

export const german: Language = {
  code: 'de',
  letters: /ß/,
  common: setOf(
    `ich und der die das ist nicht ein eine einen einer einem mein meine meinen meiner meinem mit für auf zu den dem
     des im am bin habe seit auch aber wie von es wir als bei sehr mich mir war hat sind nur noch schon unser unsere
     oft gern gerne wird werde immer aus nach vor um zum zur man sich oder weil dass sein kann`,
  ),
  speaker: anyOf(String.raw`ich / wir / mein* / unser*`),
  refused: [
    anyOf(String.raw`du / dir / dich / dein* / euch / euer / eure* / bitte / danke / vielen dank`),
    /(?<=[\p{L},] )(?:Sie|Ihnen|Ihre?[nmrs]?)(?!\p{L})/u,
    startsWithAnyOf(String.raw`kann / kannst / könn* / soll / sollte* / darf / muss / ist / sind / hat / haben / wer / was /
       wie / wo / wann / warum / wieso / weshalb / welche* / gibt es / wenn / falls / angenommen /
       stell* / tu / schreib* / erklär* / übersetz* / fass* / gib / zeig* / mach* / erstell* /
       korrigier* / hilf / sag* / nenn* / verbesser* / überarbeit* / prüf* / analysier* / formulier* /
       vergleich* / such* / finde / merk* / erinner* / ignorier* / vergiss / hier (?:ist|sind) / lass*`),
    anyOf(String.raw`würde* / könnte* / hätte* / wäre* / vielleicht / möglicherweise / wahrscheinlich / vermutlich /
       ich (?:möchte|will|wollte|würde) (?:nur |gerne? |auch |mal ){0,2}(?:wissen|fragen|verstehen|sagen|dass) /
       (?:brauche|suche|hätte|benötige)(?: \p{L}+){0,2} (?:hilfe|rat|tipps?|ideen|vorschl\p{L}+|infos?|informationen) /
       ich (?:frage mich|weiß nicht|verstehe(?: \p{L}+)? nicht|verstehe|glaube|denke|meine|hoffe|stimme|sehe) /
       (?:bin|war)(?: \p{L}+){0,2} (?:müde|hungrig|froh|traurig|wütend|gespannt|sicher|unsicher|bereit|verwirrt|fertig)`),
  ],
};

export const dutch: Language = {
  code: 'nl',
  letters: null,
  common: setOf(
    `ik de het een en is mijn niet met van voor op te ben heb zijn ook maar al in dat bij naar om die er aan als was
     we wij ons onze zo nog wel heel veel graag altijd vaak sinds jaar elke naar uit dan wat`,
  ),
  speaker: anyOf(String.raw`ik / wij / we / mijn / m'n / ons / onze`),
  refused: [
    anyOf(String.raw`je / jij / jou / jouw / u / uw / jullie / alsjeblieft / alstublieft / bedankt / dank`),
    startsWithAnyOf(String.raw`kan / kun / kunt / kunnen / zou / zouden / wil / mag / moet / is / zijn / heeft / wie / wat / hoe / waar / wanneer /
       waarom / welke* / als / stel / schrijf / leg / vertaal / geef / toon / maak / help / vertel /
       noem / verbeter / controleer / analyseer / vergelijk / zoek / vind / onthoud / herinner /
       negeer / vergeet / hier (?:is|zijn) / laat`),
    anyOf(String.raw`zou / zouden / misschien / waarschijnlijk / mogelijk /
       ik wil(?: graag)? (?:weten|vragen|begrijpen|zeggen|dat) /
       ik (?:vraag me|weet niet|snap|begrijp|denk|hoop|geloof) /
       (?:zoek|heb)(?: \p{L}+){0,2} (?:hulp|advies|tips?|idee*|vraag|vragen)(?: nodig)? /
       ben(?: \p{L}+){0,2} (?:moe|blij|boos|verdrietig|benieuwd|klaar|zeker|verward)`),
  ],
};

export const swedish: Language = {
  code: 'sv',
  letters: null,
  common: setOf(
    `jag och att det är en ett min mitt mina inte med för på i har som av sedan år men också vi vår vårt våra den de
     till om var så mycket gärna alltid ofta varje från när vid under hos än kan`,
  ),
  speaker: anyOf(String.raw`jag / vi / min / mitt / mina / vår / vårt / våra`),
  refused: [
    anyOf(String.raw`du / dig / din / ditt / dina / ni / er / tack / snälla`),
    startsWithAnyOf(String.raw`kan / skulle / vill / är / har / vem / vad / hur / var / när / varför / vilk* / om / tänk /
       skriv / förklara / översätt / ge / visa / gör / hjälp / berätta / nämn / förbättra /
       kontrollera / jämför / hitta / sök / kom ihåg / påminn / ignorera / glöm / här är`),
    anyOf(String.raw`skulle / kanske / förmodligen / troligen / jag vill (?:gärna )?(?:veta|fråga|förstå|säga|att) /
       jag (?:undrar|vet inte|förstår|tror|tycker|hoppas) /
       behöver(?: \p{L}+){0,2} (?:hjälp|råd|tips|idéer) /
       är(?: \p{L}+){0,2} (?:trött|hungrig|glad|ledsen|arg|nyfiken|säker|osäker|redo|klar)`),
  ],
};
