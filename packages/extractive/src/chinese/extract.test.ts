import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseReply } from '@factmill/extraction';
import { extractFromMessages } from '../extract.ts';

type Fact = { key?: string; value?: string; content: string; category: string; valid_from?: string };

function said(...contents: string[]): Fact[] {
  const messages = contents.map((content, seq) => ({
    id: `m${seq}`,
    seq,
    role: 'user' as const,
    content,
    createdAt: new Date('2023-05-08T13:56:00Z'),
  }));
  return (JSON.parse(extractFromMessages(messages)) as { facts: Fact[] }).facts;
}

const keyed = (content: string): Record<string, string | undefined> =>
  Object.fromEntries(said(content).flatMap(({ key, value }) => (key === undefined ? [] : [[key, value]])));
const contents = (...texts: string[]): string[] => said(...texts).map(({ content }) => content);

describe('attributes', () => {
  test.each([
    ['我叫李雪，今年二十八岁。', { name: '李雪', age: '28' }],
    ['我老家在湖南，现在住在深圳。', { hometown: '湖南', home: '深圳' }],
    ['去年我从北京搬到了成都。', { home: '成都' }],
    ['我在一家外贸公司做会计。', { employer: '外贸公司', job: '会计' }],
    ['我是一名小学老师。', { job: '小学老师' }],
    ['我对花生和虾过敏。', { allergy_花生: '花生', allergy_虾: '虾' }],
    ['我不喜欢吃香菜。', { taste_吃香菜: '不喜欢' }],
    ['我最喜欢的作家是余华。', { favourite_作家: '余华' }],
    ['我养了一只橘猫，叫年糕。', { pet_年糕: '橘猫' }],
    ['我男朋友叫周子航，在上海工作。', { partner: '周子航' }],
    ['我住在台北，在一家出版社當編輯。', { home: '台北', employer: '出版社', job: '編輯' }],
    ['叫我我。', {}],
    ['叫我小鹿就行。', { nickname: '小鹿' }],
  ])('%s', (content, expected) => {
    expect(keyed(content)).toEqual(expected);
  });

  test.each([
    '我以前住在上海。', '我住的小区没有电梯。', '我不住在北京。', '我明年搬到深圳。', '我妈妈是老师，住在成都。', '我想当医生。', '我知道他喜欢旅游，住在广州。',
    '我朋友对花生过敏。', '如果我住在海边，我叫李雷。',
  ])('are not made of another time, another person or a wish: %s', (content) => {
    expect(keyed(content)).toEqual({});
  }); // prettier-ignore
});

describe('sentences', () => {
  test.each([
    ['我很喜欢绘画、弹钢琴和品茶，你觉得有什么好书？', ['用户很喜欢绘画、弹钢琴和品茶。']],
    ['今天我去了公园散步，看到了樱花。', ['2023年5月8日，用户去了公园散步，看到了樱花。']],
    ['我爸去年退休了。', ['用户的爸爸2022年退休了。']],
    ['我觉得我目前的薪资不太理想。', ['用户觉得自己目前的薪资不太理想。']],
    ['女儿今年上小学一年级。', ['用户的女儿2023年上小学一年级。']],
    ['我爱人在西安，我在咸阳。', ['用户的爱人在西安，用户在咸阳。']],
    ['我打算把车卖了，换一辆电动车。', ['用户打算把车卖了，换一辆电动车。']],
    ['我和老公结婚八年了。', ['用户和老公结婚八年了。']],
    ['我喜歡聽陳奕迅的歌。', ['用戶喜歡聽陳奕迅的歌。']],
    ['我看了《我不是药神》，哭了很久。', ['用户看了《我不是药神》，哭了很久。']],
    ['下次我可以尝试给朋友们做一顿寿司晚餐啊。', ['下次用户可以尝试给朋友们做一顿寿司晚餐。']],
    ['这听起来不错，可以让我更好地了解自己。', []],
    ['这些也都是我很喜欢的活动。', []],
    ['以后别用表情符号。', ['用户要求：别用表情符号。']],
    ['你的回答尽量简短一点。', ['用户要求：助手的回答尽量简短一点。']],
    ['从现在起用英文跟我聊天。', ['用户要求：从现在起用英文跟用户聊天。']],
    ['每天早上提醒我吃药。', ['用户要求：每天早上提醒用户吃药。']],
    ['我喜欢你先给结论。', ['用户喜欢助手先给结论。']],
    ['提醒我明天买牛奶。', []],
    ['如果你有机会，一定要来绿禾公园走一走。', ['用户推荐：一定要来绿禾公园走一走。']],
  ])('%s', (content, expected) => {
    expect(contents(content)).toEqual(expected);
  });

  test('of a plan hold from when it is told', () => {
    const [plan, event] = said('我下周三要去医院复查。', '昨天我去了公园。');
    expect(plan).toMatchObject({ content: '用户2023年5月17日要去医院复查。' });
    expect(plan?.valid_from).toBeUndefined();
    expect(event?.valid_from).toBe('2023-05-07');
  });

  test('name the work that was told of before', () => {
    expect(contents('昨天我看了《流浪地球》。', '这部电影讲的是人类带着地球离开太阳系。')).toEqual([
      '2023年5月7日，用户看了《流浪地球》。',
      '据用户说，电影《流浪地球》讲的是人类带着地球离开太阳系。',
    ]);
  });

  test('are about those who speak, where they have names', () => {
    const message = (id: string, name: string, content: string, seq: number) => {
      const createdAt = new Date('2023-05-08T13:56:00Z');
      return { id, name, content, seq, role: 'user' as const, createdAt };
    };
    const reply = extractFromMessages([
      message('m1', '王峰', '我住在西安，上周去爬了华山。', 1),
      message('m2', '李雪', '我在杭州读研究生。', 2),
    ]);
    const facts = (JSON.parse(reply) as { facts: Fact[] }).facts;
    expect(facts.map(({ content }) => content)).toEqual([
      '王峰住在西安。',
      '王峰2023年5月1日那一周去爬了华山。',
      '李雪在杭州读研究生。',
    ]);
    expect(facts[0]?.key).toBe('王峰_home');
  });
});

describe('what no rule reads', () => {
  const message = {
    id: 'm1',
    seq: 1,
    role: 'user' as const,
    content: '口味上我偏清淡，不太能吃辣。我上个月拿到了驾照。',
    createdAt: new Date('2023-05-08T13:56:00Z'),
  };
  const read = (keepsOwnWords: boolean): { source: string; content: string }[] =>
    (
      JSON.parse(extractFromMessages([message], { keepsOwnWords })) as {
        facts: { source: string; content: string }[];
      }
    ).facts.map(({ source, content }) => ({ source, content }));
  const license = { source: 'user_explicit', content: '用户2023年4月拿到了驾照。' };

  test('is kept apart in the words of the user', () => {
    expect(read(true)).toEqual([license, { source: 'own_words', content: '口味上用户偏清淡，不太能吃辣。' }]);
  });

  test('is left out where such notes are switched off', () => {
    expect(read(false)).toEqual([license]);
  });
});

describe('never kept', () => {
  test.each(['我的密码是abc12345，我住在上海。', '我的銀行卡號是6222020200112233445。', '驗證碼是482913'])(
    'a secret, and what is told beside it: %s',
    (content) => {
      expect(contents(content)).toEqual([]);
    },
  );

  test.each([
    '请翻译：我住在上海，今年二十岁。我养了一只猫。',
    '帮我修改一下这段话：我从小在农村长大，父亲是木匠。',
    '请把下面的句子改成过去时：我每天跑步。',
    '写一个故事：我是一只猫，住在北京。',
  ])('what is to be worked on: %s', (content) => {
    expect(contents(content)).toEqual([]);
  });

  test('a question says who asks', () => {
    expect(contents('作为素食者，我怎么补充蛋白质？')).toEqual(['用户是素食者。']);
    expect(contents('作为回报，我该送什么？')).toEqual([]);
  });
});

const words = fc.constantFrom(
  '我', '我们', '我的', '妈妈', '住在', '上海', '喜欢', '不', '昨天', '去了', '公园', '，', '。', '？', '《', '》', '“', '”', '叫', '李雪', '下周三', '如果', '你',
  '对', '花生', '过敏', '和', '、', '最近', '今年', '28', '岁', '养了', '一只', '猫', '自己', '俩', '他', '说', '：', '5月', '2日', '以后', '请', '用', '回答', '\n', '歲', '喜歡',
); // prettier-ignore

test('whatever is said: one reply, read back whole, and no first person in it', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const message = {
        id: 'm1',
        seq: 1,
        role: 'user' as const,
        content: parts.join(''),
        createdAt: new Date('2023-05-08T13:56:00Z'),
      };
      const reply = extractFromMessages([message]);
      expect(extractFromMessages([message])).toBe(reply);
      const parsed = parseReply(reply);
      expect(parsed.rejected).toEqual([]);
      for (const { content } of parsed.candidates) {
        expect(content).toMatch(/用[户戶]/);
        expect(content?.replaceAll(/《[^《》]*》/g, '')).not.toMatch(/我/);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(['我', '也', '我也很', '昨天', '，', '我喜欢', '《', '我的', '5月', '“', '如果', '对花生过敏'])(
  'a message of nothing but %j takes bounded time',
  (unit) => {
    said('我住在上海。');
    const before = process.cpuUsage();
    said(unit.repeat(Math.ceil(1_000_000 / unit.length)));
    // CPU time: what else the machine does is not counted. A quadratic rule takes minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000);
  },
);
