import { when, type ChineseRule } from './rule.ts';

/** Who the speaker is, where they live, what they do, how they are. */
export const profileRules: readonly ChineseRule[] = [
  {
    category: 'identity',
    about: 'speaker',
    key: 'name',
    content: '{speaker}的名字是{value}。',
    when: when('(?:叫|名叫|全名是|姓名是|本名叫?是?|大名叫?)(?<value>{name})$'),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'name',
    content: '{speaker}的名字是{value}。',
    when: when('的?(?:名字|姓名|全名|真名|本名)(?:叫做?|是)(?<value>{name})$'),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'nickname',
    content: '{speaker}的昵称是{value}。',
    when: when('的?(?:昵称|外号|绰号|小名|网名|英文名)(?:叫做?|是)(?<value>[\\p{L}\\p{N}]{1,16})$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'age',
    content: '{speaker}的年龄是{value}岁。',
    when: when(
      '(?:今年|刚|刚满|满|快要|快|是|马上)?(?:满|到)?(?<value>\\d{1,3}|{number})(?:周)?岁(?!的|时|那)',
    ),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'age',
    content: '{speaker}的年龄是{value}岁。',
    when: when('的年龄是(?<value>\\d{1,3}|{number})(?:周)?岁?$'),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'birthday',
    when: when(
      '的?生日(?:是在|是|在)(?:农历|阴历)?(?<value>(?:\\d{4}年)?{number}月(?:{number}|初{number})[日号]?)$',
    ),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'birthday',
    when: when(
      '(?:是)?(?:出生于|出生在|生于)?(?<value>(?:\\d{4}年)?{number}月{number}[日号])(?:出生|生的|生日)?(?:的)?$',
    ),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'birth_year',
    when: when('(?:是)?(?:出生于|生于)?(?<value>(?:19|20)\\d\\d)年(?:出生|生)?(?:的)?$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'birthplace',
    when: when('(?:是)?(?:出生在|出生于|生在)(?<value>\\p{Script=Han}{2,12})(?:的)?$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'birthplace',
    when: when('(?:来自)(?<value>\\p{Script=Han}{2,12}?)(?:的)?$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'hometown',
    when: when('在(?!这|那)(?<value>\\p{Script=Han}{2,10}?)(?:出生|土生土)?(?:长大|长大的)$'),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'hometown',
    when: when('的?(?:老家|家乡)(?:是在|在|是)(?<value>\\p{Script=Han}{2,12})(?:的)?$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'nationality',
    when: when('是(?<value>{nation})(?:人|籍)$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'birthplace',
    when: when(
      '是(?:土生土长的|地道的)?(?!.{0,3}(?:[个名位好坏女男本外老年别有]|什么))(?<value>\\p{Script=Han}{2,6})人$',
    ),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'home',
    when: when(
      '(?:从[^，]{2,8})?(?:住在|居住在|定居在?|定居于|现居|住|搬到了?|搬去了?|搬来了?|搬家到了?|搬回了?|移居到?了?|移民到?了?|家在|家住|家搬到了?)(?:了)?(?![^，]{0,10}[没有很]|的|一起|一|这|那|哪|家|新|更|外|学校|宿舍|公司|别|院|酒店|了|过|得|不|附近|城)(?<value>[\\p{Script=Han}A-Za-z\\d]{2,14}?)(?:这边|那边|附近|一带)?(?:了|住|生活|工作|居住|已经.{1,8})?$',
    ),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'employer',
    also: true,
    content: '{speaker}在{value}工作。',
    when: when(
      '在(?!一起|家|这|那|哪|外|当|现在|目前|公司|单位|里面|.{0,8}(?:找|换|思考|考虑|努力|认真|工作)){one}(?<value>{employer})(?:里|的)?(?:工作|上班|任职|就职|实习|供职|做事|当|做|担任|任)(?!完|好|过|了|日)',
    ),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'employer',
    when: when(
      '(?:入职|加入|跳槽到|跳槽去|就职于|任职于|供职于)(?:了)?(?!这|那|我){one}(?<value>{employer}|[\\p{Script=Han}]{2,6})(?:工作|上班)?(?:了)?$',
    ),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'job',
    when: when(
      '(?:是|当|做|做了|当了|成为|成为了|担任|从事|转行做|改行做|改行当)(?:的是|的)?(?!不)(?<value>(?:[\\p{Script=Han}A-Za-z]{0,12}的)?[\\p{Script=Han}A-Za-z]{0,12}?{occupation})(?:工作|的|了)?$',
    ),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'job',
    when: when(
      '在[\\p{Script=Han}A-Za-z\\d]{1,16}?(?:当|做|担任|任)(?<value>{one}[\\p{Script=Han}A-Za-z]{0,8}?{occupation})(?:的|了)?$',
    ),
  },
  {
    category: 'work',
    about: 'theirs',
    key: 'job',
    when: when(
      '的?(?:职业|工作|职位|岗位)(?:是)(?!.{0,4}(?:什么|怎))(?<value>[\\p{Script=Han}A-Za-z]{2,16})$',
    ),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'job',
    when: when('(?:是)?(?<value>退休|失业|待业|自由职业|全职带娃)(?:了|在家|中)?$'),
  },
  {
    category: 'work',
    about: 'speaker',
    key: 'studies',
    when: when(
      '(?:学的是|读的是|主修|攻读|在读|学|念的是)(?<value>[\\p{Script=Han}A-Za-z]{2,14}(?:专业|学|系|工程|硕士|博士))(?:的)?$',
    ),
  },
  {
    category: 'work',
    about: 'theirs',
    key: 'studies',
    when: when('的?专业是(?<value>[\\p{Script=Han}A-Za-z]{2,14})$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'language_{value}',
    value: '会说',
    each: true,
    content: '{speaker}会说{value}。',
    when: when(
      '(?:会说|会讲|能说|说|会)(?:流利的|一点|一些|简单的)?(?<value>{language}(?:(?:、|和|跟|与|还有)(?:一点|一些|简单的)?{language}){0,6})$',
    ),
  },
  {
    category: 'identity',
    about: 'theirs',
    key: 'native_language',
    when: when('的?母语是(?<value>{language})$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'relationship_status',
    content: '{speaker}目前是{value}状态。',
    when: when('(?:是|处于|目前)?(?<value>单身|已婚|未婚|离异|丧偶)(?:了|状态|的|狗)?$'),
  },
  {
    category: 'identity',
    about: 'speaker',
    key: 'relationship_status',
    when: when(
      '(?:(?:和|跟|与)[^，]{1,6})?(?<value>离婚|结婚|订婚|分居)(?:了)?(?:{number}年(?:多)?(?:了)?)?$',
    ),
  },
];

/** Diet, allergies, conditions. */
export const healthRules: readonly ChineseRule[] = [
  {
    category: 'health',
    about: 'speaker',
    key: 'allergy_{value}',
    each: true,
    content: '{speaker}对{value}过敏。',
    when: when('对(?<value>[^，。过]{1,24}?)(?:都|也|严重|有点|有些|轻微|会|是|非常){0,3}过敏'),
  },
  {
    category: 'health',
    about: 'speaker',
    key: 'allergy_{value}',
    content: '{speaker}对{value}过敏。',
    when: when('有(?<value>花粉|花生|海鲜|尘螨|坚果|青霉素|猫毛|牛奶|鸡蛋|芒果|虾)过敏(?:症)?'),
  },
  {
    category: 'health',
    about: 'speaker',
    key: 'diet',
    when: when('(?:是)?{one}(?:严格的)?(?<value>{diet})(?:的|了|.{1,6}年了)?$'),
  },
  {
    category: 'health',
    about: 'speaker',
    when: when(
      '(?:不能|不可以|不敢)(?:再)?(?:吃|喝|碰)|(?:有|患有?|得了?|确诊了?为?|查出了?|被诊断(?:为|出)|患上了?|做(?:了|过))[^，]{0,12}(?:病|症|炎|癌|糖尿|高血压|血压|血脂|哮喘|抑郁|失眠|近视|贫血|手术|骨折|偏头痛|过敏|脂肪肝|结石|突出)|乳糖不耐|(?:在|每天|一直在?)?(?:吃|服用|打)[^，]{0,8}(?:药|胰岛素|片|胶囊)|怀孕|戒(?:了)?[烟酒]|(?:感冒|发烧|骨折|扭伤|受伤|失眠|近视)(?:了|$|[^，]{1,6}$)|(?:从不|不)(?:抽烟|喝酒|吸烟)',
    ),
  },
];
