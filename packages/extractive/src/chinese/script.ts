const HAN = /\p{Script=Han}/gu;
const OTHER_WORD = /(?:(?!\p{Script=Han})\p{L}){1,100}/gu;
/** Japanese and Korean, which also use Han characters. */
const NOT_CHINESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** What is looked at of a message to tell its language. */
const MAX_LOOKED_AT = 2_000;

/** Whether a message is in Chinese: Han characters, at least one for every word of other scripts. */
export function isChinese(content: string): boolean {
  const text = content.slice(0, MAX_LOOKED_AT);
  if (NOT_CHINESE.test(text)) return false;
  const han = text.match(HAN)?.length ?? 0;
  const others = text.match(OTHER_WORD)?.length ?? 0;
  return han >= 2 && han >= others;
}

/** Traditional characters of the words that the rules know, each before its simplified form. */
const PAIRS = [
  '個个們们歲岁歡欢愛爱養养隻只條条媽妈爺爷孫孙嗎吗麼么會会對对過过讓让請请給给訴诉說说話话語语詞词講讲學学習习專专業业師师員员醫医護护職职務务經经歷历練练帶带來来從从後后見见現现點点時时間间週周號号飯饭',
  '麵面麥麦雞鸡魚鱼鴨鸭貓猫鳥鸟龜龟馬马體体風风飛飞機机車车開开關关門门買买賣卖貴贵錢钱東东國国該该應应當当預预備备計计劃划畫画寫写讀读書书報报辦办決决記记認认識识別别談谈論论謝谢問问題题誰谁幾几裡里裏里',
  '兒儿頭头顆颗種种類类術术藝艺樂乐聽听聲声觀观覺觉遊游運运動动場场進进遠远選选還还這这邊边達达適适遷迁離离難难雖虽電电腦脑網网絡络線线結结訂订證证據据變变換换損损壞坏傷伤癥症確确診诊療疗藥药劑剂壓压續续',
  '約约紀纪織织組组終终總总統统級级純纯簡简歐欧亞亚廣广華华漢汉灣湾臺台戶户屬属島岛嶼屿鄉乡鎮镇縣县區区園园圖图館馆團团隊队陽阳陰阴陳陈劉刘張张趙赵吳吴楊杨許许鄭郑馮冯鄧邓蕭萧葉叶蔣蒋鐘钟譚谭鄒邹陸陆韋韦',
  '嚴严龍龙賀贺顧顾龔龚湯汤黃黄盧卢賈贾閻阎爾尔寶宝貝贝親亲婦妇嶽岳姊姐妳你爲为為为無无與与並并於于嘗尝試试廚厨廳厅鋼钢彈弹編编輯辑設设碼码軟软導导臨临壹一貳二兩两億亿萬万雙双嬰婴衛卫熱热憂忧鬱郁慮虑緊紧',
  '實实際际將将準准項项勝胜勵励幫帮樣样裝装視视頻频戲戏劇剧籃篮騎骑單单禮礼節节慶庆沒没鐵铁癢痒喫吃參参賽赛獎奖獲获滿满齡龄產产轉转調调簽签購购稱称隨随願愿碩硕頸颈癲癫癇痫濕湿腎肾腸肠膽胆靜静戀恋獨独銀银',
  '驗验鑰钥擔担孃娘舊旧繼继歸归蘇苏廠厂財财顏颜頓顿彎弯劍剑綠绿紅红藍蓝輕轻幹干尋寻閱阅覽览畢毕礎础鍛锻煉炼',
].join('');

const SIMPLIFIED: ReadonlyMap<string, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, index) => [
    PAIRS.charAt(index * 2),
    PAIRS.charAt(index * 2 + 1),
  ]),
);

/**
 * The text with the characters that rules look for in their simplified form, each in the place where it was: a
 * position in the one is the same position in the other.
 */
export function toSimplified(text: string): string {
  let out = '';
  for (const character of text) out += SIMPLIFIED.get(character) ?? character;
  return out;
}
