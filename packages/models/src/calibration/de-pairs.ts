import type { PairsOfLanguage } from './calibration-pair.ts';

export const DE_PAIRS: PairsOfLanguage = {
  answers: [
    ['Wo wohne ich?', 'Der Nutzer wohnt in Leipzig.'],
    ['Wie heißt mein Hund?', 'Name des Hundes: Bruno'],
    ['Was bin ich von Beruf?', 'Der Nutzer arbeitet als Krankenpfleger.'],
    ['Wogegen bin ich allergisch?', 'Der Nutzer ist allergisch gegen Erdnüsse.'],
    ['Wann habe ich Geburtstag?', 'Geburtstag: 14. März'],
    ['Was trinke ich am Morgen?', 'Der Nutzer trinkt morgens schwarzen Kaffee.'],
    ['Welche Musik mag ich?', 'Der Nutzer hört gern Jazz.'],
    ['Wohin will ich reisen?', 'Der Nutzer will im April nach Japan fahren.'],
  ],
  same: [
    ['Der Nutzer wohnt in Leipzig.', 'Der Nutzer lebt in Leipzig.'],
    ['Der Nutzer isst kein Fleisch.', 'Der Nutzer ist Vegetarier.'],
    ['Der Nutzer fährt mit dem Rad zur Arbeit.', 'Der Nutzer kommt mit dem Fahrrad zur Arbeit.'],
    ['Ingrid ist die Frau des Nutzers.', 'Der Nutzer ist mit Ingrid verheiratet.'],
  ],
  different: [
    ['Der Nutzer wohnt in Leipzig.', 'Der Nutzer wohnt in Dresden.'],
    ['Der Nutzer trinkt Kaffee.', 'Der Nutzer trinkt keinen Kaffee.'],
    ['Der Nutzer hat zwei Kinder.', 'Der Nutzer hat drei Kinder.'],
    ['Geburtstag: 14. März', 'Geburtstag: 15. März'],
    ['Der Hund heißt Bruno.', 'Der Hund heißt Rex.'],
  ],
  related: [
    ['Der Nutzer hat einen Hund.', 'Der Nutzer geht vor dem Frühstück mit dem Hund hinaus.'],
    ['Der Nutzer arbeitet als Krankenpfleger.', 'Der Nutzer hat oft Nachtdienst.'],
  ],
  unrelated: [
    ['Wo wohne ich?', 'Der Nutzer hört gern Jazz.'],
    ['Wie heißt mein Hund?', 'Der Nutzer will im April nach Japan fahren.'],
    ['Wann habe ich Geburtstag?', 'Betriebssystem: Debian Linux'],
    ['Erkläre mir, wie eine Hashtabelle funktioniert', 'Der Nutzer ist Vegetarier.'],
  ],
};
