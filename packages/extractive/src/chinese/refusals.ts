import { QUOTATION } from '../clean-text.ts';
import type { ChineseClause } from './clauses.ts';

/** Never stored, and nothing else of the paragraph that tells of it. */
const SECRET =
  /密码|口令|密钥|私钥|助记词|验证码|取款码|银行卡|信用卡(?:号|后|的?安全码)|卡号|身份证号|社保号|访问令牌|password|passcode|api[ _-]?key|secret|token|\bpin\b|\bcvv\b/i;

export function mentionsChineseSecret(simplified: string): boolean {
  return SECRET.test(simplified);
}

/** A text to work on follows: "翻译：我住在北京". */
export const TASK =
  /^(?:请|麻烦|帮我|帮忙|你|能|可以|能不能|把|将|下面|以下|这句话|这段话){0,4}.{0,8}(?:翻译|润色|改写|修改|总结|概括|续写|检查|校对|分析|解释|朗读|仿写|造句|原文|题目|例句|歌词|台词|作文|文章|代码|改成|改为|[写编](?:一|个|段|篇|首){0,2}(?:故事|对话|小说|短文|日记|诗|剧本))(?:一下)?(?:成.{1,4}|为.{1,4}|过去时|如下|下面.{0,8}|以下.{0,8}|这.{0,8})?[:：]/;
/** Somebody else speaks from here on. */
export const SPEAKS = /(?:说|问|道|回答|回复|表示|喊|写着|写道|叫我们)$/;
export const CONDITION =
  /^(?:我们|我|你们|你)?(?:如果|假如|假设|要是|倘若|若是|万一|假使|设想|想象|假装|要不是|若)|的话$/;
/** "…，对吗？": the whole sentence asks. */
export const TAG_QUESTION =
  /^(?:对吗|对吧|是吗|是吧|是不是|对不对|好吗|行吗|可以吗|怎么样|如何|还是.{1,20})$/;

type Refusals = readonly (readonly [string, RegExp])[];

/** Of a whole clause, in simplified characters. */
const CLAUSE_REFUSALS: Refusals = [
  ['quotation', new RegExp(QUOTATION)],
  ['markup', /[{}<>=\\|$^]|https?:|www\.|\S@\S|::/],
  ['question', /[?？]|[吗么]$|(?<!怎)(?:么|嘛)$|[^还]呢$/],
  [
    'question',
    /是不是|有没有|能不能|会不会|可不可以|要不要|该不该|好不好|行不行|对不对|能否|可否|是否|为什么|为何|(?:不知道|不清楚|不确定|不明白|想知道|该|应该|去|在)(?:.{0,6})(?:怎么|怎样|如何|什么|哪|谁|多少)/,
  ],
  ['unknown', /不知道|不确定|不清楚|不明白|不记得|忘了|忘记了/],
  [
    'machine',
    /报错|堆栈|编译(?:失败|错误)|异常|\bbug\b|语法错误|\bnull\b|undefined|localhost|运行(?:出错|失败)|接口返回|脚本|按钮|错误提示|(?:看|听|读)不懂|没(?:看|听|读)懂|打不开|(?:说|打|看|弄|搞|写)错|下载|上传|点击|复制|粘贴|日志文件|语言模型|聊天机器人|代码/i,
  ],
  [
    'reference',
    /^(?:这|那)(?:些)?(?:也|都|全|就|正){0,3}是我|^(?:这是|这段|这句|以下|下面|上面|如下|附件)|如下$|[这那上](?:一|两|几)?(?:个|段|篇|句|道|份|次|种)?(?:答案|回答|回复|公式|例子|结果|方案|题|句子|版本|标题|链接|文件|附件)|^我(?:刚才|刚刚|之前)?(?:说|指|问|选)(?:的)?(?:是|第)|^我的(?:意思|问题)是/,
  ],
  [
    'talk',
    /^(?:你好|您好|嗨|哈喽|早上好|早安|早|晚安|晚上好|下午好|再见|拜拜|谢谢|多谢|好的?吧?|嗯+|恩|哦|啊|哇|唉|哎|哈+|是的?|是啊|对|对的|没错|当然(?:可以|会|了)?|没关系|没事|不客气|不用谢|没问题|明白|知道|懂|了解|原来如此|太好|真好|太棒|真棒|不是|不用|没有|辛苦|加油|拜托|朋友)[呀啊哦哈啦吧了呢嘛]?$/,
  ],
  [
    'talk',
    /谢谢|感谢|多谢|感激|很高兴认识|高兴能认识|(?:再|继续|下次|明天|回头)(?:见|聊)|听起来|有道理|建议.{0,6}(?:有用|实用|不错|很好|非常好|帮助)|好主意|主意.{0,3}(?:不错|好)|晚安|就这样|先(?:到这|这样)|新年快乐|生日快乐|AI伴侣|^(?:这|那|都|真).{0,12}(?:建议|主意|意见|想法)$|^(?:非常|很|真是|太)?(?:好|不错|棒|实用|有用)的?(?:建议|主意|意见|想法)|人工智能助手/,
  ],
];

/** Of what follows subject and adverbs. */
const PREDICATE_REFUSALS: Refusals = [
  [
    'request',
    /^(?:请|帮|给我|告诉我|教我|麻烦|拜托|说说|讲讲|聊聊|聊一|来聊|谈谈|谈一|能(?:帮|给|不能|告诉|推荐|介绍|提供|说|教)|可以(?:帮|给|告诉|推荐|介绍|提供|说|教|聊|再|来|先|详细)|可否|需要(?:一|些|你|帮|知道|了解|找)|希望(?:能)?(?:得到|听|了解|知道|获得.{0,4}建议))/,
  ],
  [
    'errand',
    /^(?:想|要|想要|希望|打算)(?:和|跟|同|来|再|先|再次){0,2}(?:请|让|问|听听|听一听|知道|了解|咨询|请教|确认|看看|看一下|找(?:一|些|个|几|人)|聊|谈|分享|说|查)/,
  ],
  ['errand', /^(?:想要?|要|需要)(?:一|个|份|张|些){0,2}(?:表格|列表|清单|例子|示例|大纲|模板|函数|总结)/],
  ['proposal', /^(?:来|去|继续|开始|先|再)[^，]{0,12}吧$/],
  ['errand', /^有(?:一?个|一?些|几个|点|件)?(?:小|事|问题|疑问|疑惑|烦恼(?:$)|困惑|请求|不情之请|忙想)/],
  ['supposition', /^(?:可能|也许|或许|说不定|恐怕|要不|不如|不妨|应该|似乎|好像|猜|估计|但愿|万一)/],
  [
    'promise',
    /^(?:会|要|想|将|先|可以|打算|准备|一定会?|一定要|会继续)?(?:会|去|好好|认真|努力|试着|尝试着?|慢慢|多|再|继续){0,4}(?:去)?(?:试一试|试试|试|尝试|看一看|看看|找来看看|考虑|注意|加油|努力|记住|参考|实践|思考|想想|做|遵守|学习|了解)(?:一下|看|的|一番|下)?(?:这些.{0,6}|它们?|那些.{0,6}|.{0,2}(?:方法|建议|意见|书|电影|地方|画家的作品))?(?:的|了)?$/,
  ],
  [
    'promise',
    /^(?:会|将|要)(?:好好|认真)?(?:去)?(?:考虑|尝试|试着|努力|听取|遵守|遵循|践行|实践|查找|找|看)[^，]{0,24}(?:这些|那些|它们|建议|方法|方向|决定)/,
  ],
  ['momentary', /^先(?:去)?(?:吃|睡|忙|下线|走|洗|撤|休息)[^，]{0,6}了?$/],
  [
    'thought',
    /^(?:知道|明白|懂|同意|认同|理解|了解|记住|听说|相信|想象|确定|清楚)(?:了|的)?(?:$|.{0,2}(?:意思|说法))/,
  ],
];

/** Where nobody else is the subject, the assistant is to do it. */
const IMPERATIVES =
  /^(?:推荐|提醒我|写(?:一|个|封|篇|首|段|份)|翻译|解释|总结|列出|列举|给出|生成|介绍|分析|描述|比较|举|换|改|查|继续|再(?:说|写|来|给))/;

/** What is said to a listener who is not known by name. */
const ADDRESSED = /[你您]/;

/** Why a clause cannot be a fact, or null. `hasSubject`: a clause before it says whom the sentence is about. */
export function refusalOf(
  clause: ChineseClause,
  listener: string | null,
  hasSubject: boolean,
): string | null {
  for (const [name, pattern] of CLAUSE_REFUSALS) if (pattern.test(clause.simplified)) return name;
  for (const [name, pattern] of PREDICATE_REFUSALS) if (pattern.test(clause.predicate)) return name;
  if (!hasSubject && clause.subject === 'none' && IMPERATIVES.test(clause.predicate)) return 'request';
  return listener === null && ADDRESSED.test(clause.simplified) ? 'second person' : null;
}
