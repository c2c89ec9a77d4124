import type { Category } from '../rule.ts';
import { KIN } from './clauses.ts';
import { NUMBER } from './numbers.ts';

/** Of whom a rule reads: the speaker, or somebody or something of theirs. */
export type About = 'speaker' | 'theirs';

/**
 * One row of the rule table: which predicates it reads (in simplified characters), and what they state. Without `key`
 * the clause is kept as a note. `key`, `value` and `content` are templates over the pattern's named groups.
 */
export type ChineseRule = {
  category: Category;
  about: About;
  when: RegExp;
  key?: string;
  value?: string;
  /** Without, the text is the clause itself in the third person. */
  content?: string;
  /** The value is a list, each part a fact of its own. */
  each?: true;
  /** A weak attribute: where the sentence says more, it stays with the rest. */
  soft?: true;
  /** Later rows may read the same clause too. */
  also?: true;
};

const SURNAMES =
  '赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊於惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘钭厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍却璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧';

const LISTS: Readonly<Record<string, string>> = {
  kin: KIN,
  number: NUMBER,
  /** A person's name: a surname and one to three characters more, `小` or `阿` and one or two, or letters. */
  name: `(?:[${SURNAMES}]\\p{Script=Han}{1,3}|[小阿老大]\\p{Script=Han}{1,2}|[A-Z][A-Za-z .]{1,30})`,
  /** What an animal is called may be anything short. */
  called: '(?:[\\p{Script=Han}A-Za-z]{1,8})',
  occupation:
    '(?:工程师|设计师|律师|厨师|会计师|会计|摄影师|建筑师|药剂师|药师|心理咨询师|咨询师|培训师|分析师|架构师|理发师|美发师|化妆师|造价师|程序员|公务员|服务员|店员|售货员|销售员|销售|飞行员|运动员|研究员|管理员|保管员|快递员|外卖员|骑手|消防员|空乘|空姐|乘务员|收银员|文员|演员|教练员|驾驶员|推销员|医生|大夫|护士|护工|牙医|兽医|医师|老师|教师|教授|讲师|辅导员|校长|园长|家教|教练|司机|经理|总监|主管|主任|总裁|总经理|老板|店长|店主|助理|秘书|编辑|记者|作家|写手|编剧|导演|翻译|译员|歌手|音乐人|画家|插画师|插画家|漫画家|艺术家|科学家|创业者|企业家|自由职业者|全职妈妈|全职太太|家庭主妇|全职爸爸|博主|主播|网红|警察|民警|辅警|军人|士兵|法官|检察官|农民|工人|电工|木工|焊工|水管工|保安|保洁|保姆|月嫂|导游|顾问|实习生|学徒|模特|舞蹈演员|产品经理|项目经理|运营|前端|后端|开发者|人事|HR|CEO|CTO|CFO|大学生|研究生|博士生|硕士生|高中生|初中生|中学生|留学生|学生)',
  language:
    '(?:普通话|粤语|广东话|闽南语|客家话|上海话|四川话|英语|英文|日语|日文|韩语|韩文|法语|德语|西班牙语|葡萄牙语|意大利语|俄语|阿拉伯语|泰语|越南语|印尼语|马来语|荷兰语|瑞典语|中文|汉语|国语|手语)',
  pet: '(?:狗狗|小狗|狗|猫咪|小猫|猫|兔子|仓鼠|鹦鹉|小鸟|鸟|金鱼|鱼|乌龟|龟|金毛|拉布拉多|柯基|泰迪|哈士奇|贵宾犬|边牧|柴犬|博美|法斗|萨摩耶|比熊|布偶猫|橘猫|英短|美短|暹罗猫|蜥蜴|守宫|豚鼠|龙猫|蛇|犬|马|鸡|鸭)',
  nation:
    '(?:中国|美国|英国|法国|德国|日本|韩国|加拿大|澳大利亚|新加坡|马来西亚|印度|俄罗斯|意大利|西班牙|巴西|越南|泰国|墨西哥|荷兰|瑞士|瑞典|新西兰)',
  diet: '(?:纯素食主义者|素食主义者|素食者|纯素者|吃素|吃纯素|吃全素|蛋奶素|生酮饮食|低碳饮食|无麸质饮食|清真饮食|吃清真)',
  one: '(?:一?[名个位家所间])?',
  employer:
    '(?:[\\p{Script=Han}A-Za-z\\d]{0,14}(?:公司|集团|企业|厂|工厂|店|医院|诊所|学校|大学|学院|中学|小学|幼儿园|银行|局|所|社|院|机构|部门|中心|超市|餐厅|酒店|工作室|事务所|平台|协会|基金会|博物馆|图书馆|法院|政府|外企|国企|央企|大厂|互联网)|[A-Z][A-Za-z\\d&. ]{1,20}|腾讯|阿里巴巴|阿里|字节跳动|字节|百度|华为|京东|美团|小米|网易|拼多多|滴滴|快手|联想|比亚迪|微软|谷歌|苹果|亚马逊|特斯拉|三星|台积电|富士康)',
};

/** Compiles a pattern over a whole predicate; `{name}` inserts a word list. Groups are read from the text as written. */
export function when(source: string): RegExp {
  const expanded = source.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => LISTS[name] ?? whole);
  return new RegExp(`^${expanded}`, 'du');
}
