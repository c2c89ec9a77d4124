import { when, type ChineseRule } from './rule.ts';

/** People and animals in the speaker's life. */
export const peopleRules: readonly ChineseRule[] = [
  {
    category: 'relationship',
    about: 'theirs',
    key: 'partner',
    when: when(
      '的?(?:老公|老婆|丈夫|妻子|太太|先生|爱人|对象|男朋友|女朋友|男友|女友|未婚夫|未婚妻)(?:的名字)?(?:叫做?|名叫|的名字是)(?<value>{name})$',
    ),
  },
  {
    category: 'relationship',
    about: 'theirs',
    key: '{relation}_{value}',
    when: when('的?(?<relation>{kin})(?:的名字)?(?:叫做?|名叫|名字叫|名字是)(?<value>{name})$'),
  },
  {
    category: 'relationship',
    about: 'speaker',
    key: '{relation}_{value}',
    when: when(
      '(?:有|生了)(?:一?个)?(?<relation>{kin})(?:，)?(?:[他她])?(?:的)?(?:名字)?(?:叫做?|名叫|是叫)(?<value>{name})$',
    ),
  },
  {
    category: 'relationship',
    about: 'speaker',
    key: 'pet_{called}',
    value: '{value}',
    when: when(
      '(?:养了?|家?有|领养了?|收养了?|买了|家里养了?|捡了|救助了)(?:一|两)?[只条头匹个]?(?<value>[\\p{Script=Han}]{0,8}?{pet})(?:，)?(?:它)?(?:的)?(?:名字|小名)?(?:叫做?|名叫|取名叫?)(?<called>{called})$',
    ),
  },
  {
    category: 'relationship',
    about: 'theirs',
    key: 'pet_{called}',
    value: '{value}',
    when: when(
      '(?:家)?(?:的)?(?<value>[\\p{Script=Han}]{0,4}?{pet})(?:的名字)?(?:叫做?|名叫)(?<called>{called})$',
    ),
  },
  {
    category: 'relationship',
    about: 'speaker',
    when: when(
      '(?:养|领养|收养|捡|救助)(?:了|过|着)?[^，]{0,8}{pet}|(?:有|生了?)(?:{number}|几|一)?(?:个|位|对|双)?[^，]{0,6}(?:{kin}|双胞胎|龙凤胎|兄弟姐妹)',
    ),
  },
  {
    category: 'relationship',
    about: 'speaker',
    when: when('(?:和|跟|与)[^，]{0,8}(?:{kin}|相亲对象)[^，]{1,40}'),
  },
  {
    category: 'relationship',
    about: 'speaker',
    when: when('(?:[和跟与][^，]{1,8})?(?:领证|领了证|谈恋爱|恋爱|分手|求婚|相亲|脱单|订婚|结婚|离婚|同居)'),
  },
  { category: 'relationship', about: 'theirs', when: when('的?{kin}[^，]{2,60}') },
];

/** Tastes, plans, events, possessions. */
export const lifeRules: readonly ChineseRule[] = [
  { category: 'identity', about: 'theirs', when: when('的?(?:血型|星座|MBTI|身高|体重)[^，]{2,20}') },
  {
    category: 'identity',
    about: 'speaker',
    when: when(
      '姓\\p{Script=Han}{1,2}$|是(?:一?[个名位])(?!好|问题|人$|错误)[^，]{2,24}|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|是(?:[ABO]{1,2}型血|左撇子|\\p{Script=Han}{2}座)|(?:身高|体重)',
    ),
  },
  {
    category: 'preference',
    about: 'speaker',
    key: 'favourite_{thing}',
    when: when(
      '最(?:喜欢|爱|钟爱)(?:吃|喝|看|听|玩|读|去)?的(?<thing>[\\p{Script=Han}]{1,6}?)(?:就)?(?:是|叫)(?!因为|什么|在)(?<value>[^，]{1,24})$',
    ),
  },
  {
    category: 'preference',
    about: 'speaker',
    key: 'taste_{value}',
    soft: true,
    value: '喜欢',
    when: when(
      '(?:喜欢|热爱|喜爱|钟爱|迷上了?|爱好|享受|偏爱|爱)(?:上了?)?(?!我|他|她|它|这|那|和|跟|在|的|你|自己|一|上|情|人)(?<value>[^，、和与及跟的了以不因]{1,10})$',
    ),
  },
  {
    category: 'preference',
    about: 'speaker',
    key: 'taste_{value}',
    soft: true,
    value: '不喜欢',
    when: when(
      '(?:不太?喜欢|不怎么喜欢|不爱|讨厌|反感|受不了|厌恶|最讨厌|最不喜欢)(?!我|他|她|它|这|那|的|你|自己|别人)(?<value>[^，、和与及跟的了以不因]{1,10})$',
    ),
  },
  {
    category: 'preference',
    about: 'speaker',
    when: when(
      '(?:最|只|更|不|不太|不怎么)?(?:喜欢|热爱|喜爱|钟爱|偏爱|爱吃|爱喝|爱看|爱玩|爱听|讨厌|反感|害怕|怕|受不了|感兴趣|迷上|沉迷|着迷|擅长|习惯|偏好|倾向|享受)',
    ),
  },
  {
    category: 'preference',
    about: 'theirs',
    when: when(
      '的?(?:爱好|兴趣|兴趣爱好|偏好|口味|习惯|特长|梦想|座右铭|偶像|最爱|最大的爱好)(?:是|有|包括|就是)',
    ),
  },
  {
    category: 'preference',
    about: 'speaker',
    when: when(
      '对[^，]{1,20}(?:感兴趣|有兴趣|着迷|入迷|没兴趣|不感兴趣|很有研究)|(?:会|能|不会)(?:弹|拉|吹|跳|唱|画|开车|游泳|骑|滑|做饭|编程|打)',
    ),
  },
  {
    category: 'plan',
    about: 'speaker',
    when: when(
      '(?:在)?(?:打算|计划|准备|筹备|考虑|决定|想要?|要|将|将要|会|希望|预订了?|预定了?|订了?|订好了?|约了?|报名了?|报了|即将|马上要|目标是|梦想是?|期待|争取)[^，]{2,}',
    ),
  },
  {
    category: 'plan',
    about: 'theirs',
    when: when('的?(?:计划|目标|打算|梦想|安排|婚礼|考试|面试|航班|行程|预算|截止日期)[^，]{2,}'),
  },
  {
    category: 'possession',
    about: 'speaker',
    when: when(
      '(?:有|买了?|开|用|拥有|换了?|收藏了?|租了?|开了?|戴|骑|入手了?)[^，]{0,10}(?:一?[辆台部套把架间家双块副只条栋]|车|手机|电脑|房|相机|吉他|钢琴|店|公司|工作室)',
    ),
  },
  {
    category: 'possession',
    about: 'theirs',
    when: when(
      '的?(?:车|手机|电脑|房子|相机|吉他|钢琴|自行车|公寓|家里|家|邮箱|品牌|店|预算|工资|薪资|月薪|收入)[^，]{2,}',
    ),
  },
  {
    category: 'event',
    about: 'speaker',
    when: when('[^，]{0,14}(?:(?<![为除极])了(?!解)|过(?![敏程去得]))(?!吗|没)'),
  },
  {
    category: 'work',
    about: 'speaker',
    when: when(
      '(?:在|做|从事|负责|管理|经营|创办|学|读|念|参加|考|备考|辞职|升职|毕业|实习|工作|上班|加班|找工作|换工作|转行|教)[^，]{0,40}',
    ),
  },
  {
    category: 'work',
    about: 'theirs',
    when: when('的?(?:公司|单位|工作|学校|部门|团队|班|专业|项目|论文|课程|老家)[^，]{2,}'),
  },
  {
    category: 'preference',
    about: 'speaker',
    when: when('(?:听|看|读|跑|喝|吃|做|打|练|去|花|坚持|跑步|健身|锻炼)[^，]{0,30}'),
  },
];
