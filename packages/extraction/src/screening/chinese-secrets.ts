/** Names of secrets, in simplified and traditional characters. */
const WORD = String.raw`(?:密[码碼钥鑰]|口令|私[钥鑰]|助[记記][词詞]|(?:[验驗][证證]|[动動][态態]|恢[復复]|取款|安全|通行|pin ?)[码碼]|(?:[银銀]行|信用|[储儲]蓄)?卡[号號][码碼]?|身[份分][证證]字?[号號][码碼]?|社保[号號][码碼]?|令牌)`;
/** English ones that Chinese texts use. */
const LATIN_WORD = String.raw`(?:passwords?|passcodes?|api[ _-]?key|token|cvv|cvc|pin)`;

/** What may stand between the name and the verb. */
const BETWEEN = String.raw`(?:\([^()\n]{1,20}\))? ?(?:的?(?:值|内容|[号號][码碼]))?(?:[现現]在|目前|已[经經]?|都|就|[统統]一|[刚剛]|一直|依然|[还還])? ?(?:被)?`;

const VERB = String.raw`(?:是|就是|[为為]|等[于於]|[设設](?:置|定)?[为為成]了?|改[为為成]了?|[换換]成了?|叫)`;

/** Words that show that the text says how a secret is treated, not what it is. */
const NO_VALUE = String.raw`(?!什[么麼]|甚麼|多少|哪|[谁誰]|啥|不|[没沒]|未|[无無]|空|有|存|保[存管密]|放|[写寫]|[记記]|在|由|用|[从從]|通[过過]|以|按|根[据據]|被|很|太|非常|最|更|[较較]|安全|必|需|要|可|能|[会會]|[应應]|[该該]|已|[错錯]|[对對]|正[确確]|有效|[过過]期|[随隨][机機]|[强強弱]|[简簡][单單]|[复複][杂雜]|重要|[长長短]|新|[旧舊]|同|相|默[认認]|加密|我|他|她|它|你|[个個]|一|[几幾]|[这這]|那|每|定期|公|登|自[己动動]|所有|[个個]人|最後|最后)`;

/** A value in Latin letters, digits and signs, unless it is the name of what keeps the secret. */
const TOKEN = String.raw`[\w!@#$%^&*.+-]{3,100}(?![\w!@#$%^&*.+-])(?! ?(?:管理|生成|保[管存]|存|[里裡内內中上]|年|月|日|位|次|[个個]|天|的))`;
/** A value in Chinese: all that is left of the clause. What ends with a particle describes. */
const PHRASE = String.raw`\p{Script=Han}{2,10}(?<![的了吗嗎呢吧过過])(?=["'」』)]?(?:[\s。,;!]|$))`;

/** "密码是 hunter2", "口令:芝麻开门". */
const STATED = new RegExp(
  String.raw`(?:${WORD}${BETWEEN}(?:${VERB}|:|=|->)|${LATIN_WORD}${BETWEEN}${VERB}) ?["'「『]?${NO_VALUE}(?:${TOKEN}|${PHRASE})`,
  'u',
);
/** "验证码 482913": without a verb only what has a digit. */
const BESIDE = new RegExp(String.raw`${WORD} ?(?=[a-z!@#$%^&*.+_-]{0,40}\d)(?=[^ ]{4})${TOKEN}`, 'u');
/** A question for a secret. */
const ASKED = new RegExp(
  String.raw`(?:${WORD}|${LATIN_WORD})${BETWEEN}(?:是|[为為])?(?:什[么麼]|甚麼|多少|啥|哪)`,
  'u',
);
const KEY = new RegExp(String.raw`(?:^|_|\p{Script=Han})${WORD}$`, 'u');

const IDENTITY_NUMBER =
  /(?<![\da-z])[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx](?![\da-z])/g;
/** Of the first 17 digits. The rest of their weighted sum by 11 names the check character. */
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
const CHECKS = '10x98765432';

/** Whether the check character is that of a Chinese resident identity number. */
function isIdentityNumber(text: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(text.charAt(index)), 0);
  return CHECKS.charAt(sum % 11) === text.charAt(17);
}

/**
 * Whether a Chinese statement holds a secret: by its name or by its form, as `holdsSecret` does. That there is one,
 * was lost or is kept somewhere is none. All texts are in the plain form.
 */
export function holdsChineseSecret(
  stated: Readonly<{ key: string | null; question: string | null; plain: string }>,
): boolean {
  const { key, question, plain } = stated;
  return (
    (key !== null && KEY.test(key)) ||
    (question !== null && ASKED.test(question)) ||
    STATED.test(plain) ||
    BESIDE.test(plain) ||
    (plain.match(IDENTITY_NUMBER) ?? []).some((text) => isIdentityNumber(text))
  );
}
