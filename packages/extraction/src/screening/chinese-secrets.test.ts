import { describe, expect, test } from '@jest/globals';
import { screenStatement, screenToolSave } from './screen-statement.ts';

const refusalOf = (text: string) => screenStatement(text, [text]);

describe('secrets in Chinese', () => {
  test.each([
    '用户的密码是abc12345。',
    '用户的 WiFi 密码：hunter2',
    '用户的密碼改成了hunter2。',
    '数据库口令为 s3cret!pw',
    '家里的密码是芝麻开门。',
    '密码是“芝麻开门”',
    '密码（家里的）是 8812ab',
    '用户的验证码是482913。',
    '驗證碼 482913',
    '用户的银行卡号是6222020200112233445。',
    '銀行卡號:6222 0202 0011 2233',
    '用户的信用卡卡号是4111111111111111',
    '身份证号码是11010519491231002X',
    '用户的身份证是11010519491231002X。',
    '身分證字號是A123456789',
    '用户的PIN码是4711',
    '用户的api密钥是abcdef123456',
    '助记词设置为 apple river stone',
    '登录的password是hunter2',
    '用户的支付密码现在是998877',
    '私钥＝ｋ１２３４５６７',
    '用户的社保号是1234567890',
  ])('%s', (text) => {
    expect(refusalOf(text)).toBe('secret');
  });

  test.each([
    '用户忘记了密码。',
    '用户忘记了密码是什么。',
    '用户把密码存在1Password里。',
    '用户的密码管理器是1Password。',
    '用户的密码是用1Password管理的。',
    '用户的密码是1Password生成的。',
    '用户的密码太简单。',
    '用户的密码是安全的。',
    '用户的密码是每月更换的。',
    '用户的密码2024年改过。',
    '用户的密码是12位的。',
    '用户的密码已经过期。',
    '用户想改银行卡的密码。',
    '验证码是短信发送的。',
    '用户收不到验证码。',
    '用户有一张招商银行卡。',
    '用户丢了身份证。',
    '用户的卡号不记得了。',
    '用户学过密码学。',
    '用户为密钥轮换写了脚本。',
    '用户的订单号是110105194912310021。',
    '用户的生日是1949年12月31日。',
    '用户在做一个token计数器。',
    'The user sets max token: 512.',
    '用户的口令是必须定期更换的。',
  ])('no secret: %s', (text) => {
    expect(refusalOf(text)).toBeNull();
  });

  test('a key that names one, and the answer to a question for one', () => {
    const save = (key: string, value: string) => screenToolSave({ key, texts: [value], statement: value });
    expect(save('密码', 'hunter2')).toBe('secret');
    expect(save('wifi_密碼', 'hunter2')).toBe('secret');
    expect(save('家里的银行卡号', '招商 6222')).toBe('secret');
    expect(save('密码管理器', '1Password')).toBeNull();
    expect(save('银行', '招商银行')).toBeNull();
  });
});
