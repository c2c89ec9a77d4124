/** Words for yes, no, thanks, hello and praise. A message of nothing else asks for nothing. */
export const ACKNOWLEDGEMENT_WORDS: ReadonlySet<string> = new Set(
  `ok okay okey k kk yes yeah yep yup no nope nah sure thanks thank thx ty you u very much so a lot great good nice cool
  awesome perfect excellent wonderful amazing brilliant fine alright right got it gotcha understood i see makes sense
  done lol lmao haha hahaha hehe hi hello hey morning evening night bye goodbye see later wow oh ah hm hmm mm mhm uh huh
  np no problem never mind nvm sounds that's that is all for now works well exactly true agreed indeed absolutely
  definitely of course please go on ahead next stop wait sorry oops yay congrats cheers welcome the best love it
  appreciate helpful helps was this really very too and me both there again all set noted roger fair enough my bad
  cya ttyl brb omg idk interesting
  `
    .trim()
    .split(/\s+/),
);

const CHINESE_ACKNOWLEDGEMENTS: ReadonlySet<string> = new Set(
  `好 好的 好吧 好呀 好啊 好滴 好嘞 嗯 嗯嗯 恩 哦 噢 啊 哈 呵 嘻嘻 嘿嘿 谢谢 谢谢你 谢谢您 多谢 谢了 感谢 非常感谢 太感谢了 收到 明白 明白了 懂了 知道 知道了 了解 了解了 清楚了 是 是的 对 对的 没错 没事 没问题 不客气 可以 可以的 行 行吧 不 不是 不用 不用了 不要 算了 不行 棒 太棒了 真棒 厉害 不错 很好 太好了 完美 牛 赞 你好 您好 嗨 哈喽 早 早安 早上好 晚安 晚上好 下午好 再见 拜拜 回头见 加油 辛苦了 抱歉 不好意思 对不起 原来如此 有道理 同意 当然 继续 等等 稍等 天哪 哇 哎 唉 了 呀 吧 的 你 就这样 先这样`.split(
    ' ',
  ),
);
const MAX_WORD_CHARACTERS = Math.max(...Array.from(CHINESE_ACKNOWLEDGEMENTS, ({ length }) => length));

/** Whether a Chinese text can be cut completely into those words. */
function isChineseAcknowledgement(text: string): boolean {
  const reached = [true];
  for (let from = 0; from < text.length; from += 1) {
    if (reached[from] !== true) continue;
    for (let length = 1; length <= MAX_WORD_CHARACTERS; length += 1) {
      if (CHINESE_ACKNOWLEDGEMENTS.has(text.slice(from, from + length))) reached[from + length] = true;
    }
  }
  return reached[text.length] === true;
}

/** Whether a text has only words for yes, no, thanks or hello, or only punctuation. */
export function isAcknowledgement(text: string): boolean {
  const chinese = text.replace(/[^\p{Script=Han}]/gu, '');
  const rest = text.replace(/\p{Script=Han}/gu, ' ').match(/[\p{L}\p{N}']+/gu) ?? [];
  if (rest.length > 8) return false;
  if (chinese !== '' && !isChineseAcknowledgement(chinese)) return false;
  return rest.every((word) => ACKNOWLEDGEMENT_WORDS.has(word));
}
