import { anyOf, type Language, setOf, startsWithAnyOf } from './language.ts';

export const polish: Language = {
  code: 'pl',
  letters: /[ąęłńśźż]/,
  common: setOf(
    `i w z na nie się jest mam moja mój mojej moje moim do od że jestem to lat bardzo ale dla po jak ja mnie mi o za co
     już są był była czy przy ze także też każdy każdego nasz nasza lub lubię przez który która`,
  ),
  speaker:
    anyOf(String.raw`ja / mój / moj[aeąi] / mojej / mojego / moim / moimi / moich / \p{L}{2,}(?:imy|emy|amy) / nasz* / jestem / mam / mamy / mieszkam /
       mieszkamy / pracuję / pracujemy / uczę / studiuję / lubię / uwielbiam / wolę / gram / biegam /
       mówię / używam / jeżdżę / urodziłam / urodziłem / \p{L}{2,}ł[ae]m / \p{L}{2,}liśmy /
       nie (?:jem|piję|znoszę)`),
  refused: [
    anyOf(
      String.raw`ty / ci / ciebie / cię / tobie / tw[oó]j* / pan / pani / państwo / proszę / dziękuję / dzięki`,
    ),
    startsWithAnyOf(String.raw`czy / kto / co(?! (?:rano|dzień|dziennie|roku|tydzień|wieczór|miesiąc|weekend|drug\p{L}+)) / jak / gdzie / kiedy / dlaczego / któr* / ile / możesz / jeśli / jeżeli /
       gdyby* / wyobraź / załóż* / napisz / wyjaśnij / przetłumacz / streść / podaj / pokaż / zrób /
       stwórz / popraw / pomóż / powiedz / sprawdź / porównaj / znajdź / zapamiętaj / przypomnij /
       zignoruj / zapomnij / oto`),
    anyOf(String.raw`może / chyba / prawdopodobnie / mógłbym / mogłabym / chciał[ae]?by* /
       chcę (?:wiedzieć|zapytać|zrozumieć|żeby) / szukam (?:porady|pomocy|pomysł*) /
       potrzebuję (?:pomocy|porady|rady) / nie (?:wiem|rozumiem|pamiętam|jestem pew\p{L}+) /
       (?:myślę|sądzę|uważam|rozumiem), że /
       jestem(?: \p{L}+)? (?:zmęczon[ya]|głodn[ya]|szczęśliw[ya]|smutn[ya]|gotow[ya])`),
  ],
};

export const russian: Language = {
  code: 'ru',
  // Neither Latin letters nor those of Ukrainian.
  letters: /^[^a-zіїєґ]*$/,
  common: setOf(
    `и в не на я мой моя моё мои с со что как у меня мне по но за из это к для от мы наш наша очень уже лет был была
     есть или же он она они так бы который каждый все о до при`,
  ),
  speaker: anyOf(
    String.raw`я / мо[йяёеи] / моего / моей / моих / моим / мою / у меня / мне / мы / наш* / у нас`,
  ),
  refused: [
    anyOf(String.raw`ты / тебе / тебя / тво[йяёеи]* / вы / вам / вас / ваш* / пожалуйста / спасибо`),
    startsWithAnyOf(String.raw`кто / что / как / где / когда / почему / зачем / как(?:ой|ая|ие|ое) / сколько / можно / можешь /
       может / если / представь* / допустим / напиши* / объясни* / переведи* / дай* / покажи* /
       сделай* / создай* / исправь* / помоги* / скажи* / проверь* / сравни* / найди* / запомни* /
       напомни* / забудь* / игнорируй* / вот`),
    anyOf(String.raw`бы / возможно / наверное / наверно / может быть / вероятно /
       хочу (?:знать|узнать|спросить|понять|чтобы) /
       нуж(?:на|ен|ны|но) (?:помощь|совет*|узнать|понять) / ищу (?:совет*|помощь|идеи) /
       не (?:знаю|понимаю|помню|уверен*) / (?:думаю|считаю|надеюсь|понимаю), что /
       я(?: \p{L}+)? (?:устал|устала|голод\p{L}+|рад|рада|расстроен|расстроена|готов|готова|уверен|уверена) / интересно`),
  ],
};

export const ukrainian: Language = {
  code: 'uk',
  letters: /[іїєґ]/,
  common: setOf(
    `і й в у не на я мій моя моє мої з зі що як мене мені по але за із це до для від ми наш наша дуже вже років був
     була є або ж він вона вони так би який кожен усі про та`,
  ),
  speaker: anyOf(
    String.raw`я / мій / мо[яєїю] / мого / моєї / моїх / у мене / в мене / мені / ми / наш* / у нас`,
  ),
  refused: [
    anyOf(String.raw`ти / тобі / тебе / тв[іо]* / ви / вам / вас / ваш* / будь ласка / дякую`),
    startsWithAnyOf(String.raw`хто / що / як / де / коли / чому / навіщо / як(?:ий|а|і|е) / скільки / чи / можна / можеш /
       якщо / уяви* / припустімо / напиши* / поясни* / переклади* / дай* / покажи* / зроби* / створи* /
       виправ* / допоможи* / скажи* / перевір* / порівняй* / знайди* / запам* / нагадай* / забудь* /
       ось`),
    anyOf(String.raw`би / б / можливо / мабуть / напевно / хочу (?:знати|дізнатися|запитати|зрозуміти|щоб) /
       потрібн[аі] (?:допомога|порада|поради) / шукаю (?:порад*|допомог*|ідеї) /
       не (?:знаю|розумію|пам\p{L}+|впевнен*) / (?:думаю|вважаю|сподіваюся|розумію), що /
       я(?: \p{L}+)? (?:втомлен*|втомил*|голодн*|рад|рада|готовий|готова|впевнен*) / цікаво`),
  ],
};

export const turkish: Language = {
  code: 'tr',
  letters: /[ığ]/,
  common: setOf(
    `ve bir bu için çok ben benim ile de da var yıl yıldır ama gibi olarak daha her biz bizim ne en o şu ki değil yok
     kadar sonra önce olan`,
  ),
  speaker: anyOf(String.raw`ben / benim / biz / bizim / \p{L}{2,}(?:[ıiuü]yorum|[ıiuü]yoruz) /
       \p{L}{2,}(?:d[ıiuü]m|t[ıiuü]m) / \p{L}{2,}(?:[ıiuü]m) var / \p{L}{3,}(?:y[ıiuü]m) /
       (?:eş|kız|oğl|anne|baba|köpe|kedi|kardeş)\p{L}{0,3}[ıiuü]?m`),
  refused: [
    anyOf(String.raw`sen / siz / sana / size / seni / sizi / senin / sizin / lütfen / teşekkür* / sağ ol / m[ıiuü] /
       m[ıiuü]s[ıiuü]n*`),
    startsWithAnyOf(
      String.raw`kim / nasıl / nerede / neden / niye / hangi / kaç / eğer / diyelim / bana / işte`,
    ),
    /(?<!\p{L})(?:yaz|açıkla|çevir|özetle|göster|düzelt|söyle|anlat|kontrol et|karşılaştır|bul|hatırla|unut|yardım et|öner|oluştur|ver)$/iu,
    anyOf(String.raw`belki / galiba / muhtemelen / keşke / \p{L}+(?:sa|se)m / \p{L}+(?:rd[ıiuü])m / bilmiyorum /
       anlamadım / anlamıyorum / merak ediyorum / öğrenmek istiyorum / sormak istiyorum / istiyorum /
       düşünüyorum / sanıyorum / umuyorum / yorgunum / açım / mutluyum / üzgünüm / hazırım / eminim`),
  ],
};

export const japanese: Language = {
  code: 'ja',
  letters: null,
  common: setOf(''),
  speaker:
    /私|わたし|僕|ぼく|俺|うちの|我が家|(?:住んで|暮らして|働いて|勤めて|通って|飼って|習って|勉強して|使って|続けて|やって|持って)(?:い|る|ます)|(?:大好き|好き|嫌い|苦手|得意|アレルギー)(?:です|だ|で|が)|引っ越(?:し(?:た|まし)|します|す)|結婚し(?:た|て|まし)|出身(?:です|で)|生まれ(?:た|まし|です)/u,
  refused: [
    /[かの]$|(?:です|ます|でしょう|だろう)(?:か|ね)$|(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|お願い(?:し|いた)?.{0,4}|教えて|くれ(?:る|ます|ない|ません)?か?|もらえ(?:る|ます|ない|ません)?か?|たいです|たい|なさい|しろ|せよ|しましょう|よう)$/u,
    /あなた|君(?:は|の|が|に)|お前|(?<!お)もし(?!ろ)|たとえば|例えば|かもしれ|たぶん|多分|でしょう|だろう|知りたい|教えて|わから|分から|と思(?:い|う|って)|ありがとう|どうやって|どうすれば|なぜ|どこ|いつ(?!も)|誰|何(?:を|が|の|か|で)|疲れ|お腹/u,
  ],
};

export const korean: Language = {
  code: 'ko',
  letters: null,
  common: setOf(''),
  speaker:
    /(?:^|\s)(?:저는|제가|제|저희|저도|나는|난|내가|내|나도|우리는?|저희는)(?=\s|$)|(?:살고|다니고|일하고|키우고|배우고|공부하고|사용하고|쓰고)\s?있|(?:살아|다녀|일해|키워|좋아해|싫어해|좋아하|싫어하)(?:요|합니다|고|는데|$)|(?:좋아합|싫어합|삽|다닙|일합|키웁)니다|알레르기가?\s?있|이사\s?(?:했|왔|갔)|결혼\s?(?:했|한)|태어났/u,
  refused: [
    /(?:까요?|[있하되인은는았었]나요|니까|을까|ㄹ까|가요|는지요?)$|(?:주세요|줘|줘요|주십시오|해라|하세요|하십시오|해봐|알려줘|부탁.{0,6}|싶어요?|싶습니다)$/u,
    /당신|(?:^|\s)(?:너|너는|네가|넌)(?=\s|$)|만약|만일|혹시|아마(?!추어)|어떻게|왜|어디|언제(?!나)|누구|무엇|뭐|알고\s?싶|궁금|모르겠|몰라|감사|고마|생각해|생각합|것\s?같|피곤|배고/u,
  ],
};
