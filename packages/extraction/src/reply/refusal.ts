/** A longer text is no refusal. */
const MAX_REFUSAL_CHARACTERS = 1_000;

/** Beginnings of apologies. A fact about a user never begins so. */
const APOLOGY = [
  /^(?:oh,? |well,? )?(?:i(?:['’]m| am) (?:\w+ )?(?:sorry|afraid)|(?:so |very )?sorry\b|i (?:do )?apologi[sz]e|(?:my )?apologies|unfortunately,? (?:i|we|as)\b|as an? (?:\w+ ){0,2}(?:ai|assistant|language model)\b)/i,
  // German, Dutch, French, Spanish, Portuguese, Italian, Polish, Swedish.
  /^(?:(?:es )?tut mir (?:\w+ )?leid|entschuldig(?:e|en|ung)\b|leider kann ich|het spijt me|sorry, ik|(?:je suis |nous sommes )?(?:vraiment )?d[ée]sol[ée]|lo siento|lamento\b|(?:sinto muito|desculpe|me desculpe)\b|mi dispiace|przepraszam|przykro mi|tyvärr|förlåt)/i,
  // Russian, Ukrainian, Chinese, Japanese, Korean.
  /^(?:к сожалению,? я|извините|простите|прошу прощения|на жаль,? я|вибачте|(?:非常|很|十分)?(?:抱歉|对不起|對不起)|申し訳|すみません|ごめん|죄송)/i,
];

/** An English apology that continues with one of these is a refusal. Single words, not a whole grammar. */
const DECLINES =
  /\b(?:can(?:not|['’]?t)|could ?n['’]?t|won['’]?t|will not|unable|not (?:able|comfortable|allowed|permitted|appropriate|something)|declin(?:e|ing)|inappropriate|violat\w+|against (?:my|our|the)|don['’]?t feel comfortable|not going to)\b/i;

/** Inability without an apology: `I can't help with that`. The verb keeps `I can't eat nuts` out. */
const INABILITY = [
  /^i(?:['’]m| am)?,? (?:just |simply )?(?:can(?:not|['’]?t)|won['’]?t|will not|(?:am )?(?:unable|not able)(?: to)?|(?:must|have to|need to)(?: respectfully)?|do not|don['’]?t feel comfortable|not comfortable)\s(?:\w+ ){0,2}?(?:help|assist|comply|fulfil\w*|provid\w+|process|respond|answer|engage|continu\w+|extract\w*|shar\w+|discuss\w*|support|participat\w+|creat\w+|generat\w+|declin\w+|refuse|do (?:that|this)|complete (?:that|this))\b/i,
  /^(?:this|that|the|your) (?:request|content|conversation|task) (?:violates|goes against|is against|falls outside)\b/i,
  /^(?:das|dabei|damit|dazu|hierbei) (?:kann|darf|werde) ich|^ich (?:kann|darf|werde) (?:\w+ ){0,3}?(?:nicht|keine)\b[^.]{0,60}\b(?:helfen|unterstützen|weiterhelfen|antworten|beantworten|bearbeiten|verarbeiten)/i,
  /^je ne (?:peux|puis)(?: pas)? (?:vous |t['’]|te |malheureusement |pas )*(?:aider|assister|répondre|traiter|faire|fournir)/i,
  /^(?:no puedo|não posso|non posso|no me es posible|não consigo) (?:\w+ ){0,2}?(?:ayudar|responder|proporcionar|cumplir|ajudar|fornecer|atender|aiutar|rispondere|fornire|soddisfare|procesar)/i,
  /^я (?:не могу|не в состоянии) (?:\S+ ){0,2}?(?:помочь|ответить|выполнить)/i,
  /^我(?:无法|無法|不能|没办法)|^(?:お手伝い|お答え|対応)[^。]{0,20}(?:できません|いたしかねます)|^도와드릴 수 없/,
];

/**
 * Whether a model declines in this text: `yes`, or `maybe` when it only apologises. Checks the beginning, in a
 * dozen languages. Linear time; the length is bounded.
 */
export function readRefusal(text: string): 'yes' | 'maybe' | 'no' {
  const said = text.replace(/^[\s"'“”*_>#-]+/, '');
  if (said.length > MAX_REFUSAL_CHARACTERS) return 'no';
  if (INABILITY.some((pattern) => pattern.test(said))) return 'yes';
  const apology = APOLOGY.findIndex((pattern) => pattern.test(said));
  if (apology < 0) return 'no';
  return apology > 0 || DECLINES.test(said) ? 'yes' : 'maybe';
}
