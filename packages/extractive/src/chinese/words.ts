import { toSimplified } from './script.ts';

let segmenter: Intl.Segmenter | undefined;

/** The words of a text, marks included; together they are the text. */
export function segment(text: string): string[] {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  return [...segmenter.segment(text)].map((part) => part.segment);
}

/** Words that say nothing by themselves: function words, and the feelings, praise and hedges of small talk. */
const EMPTY = new Set(
  `我 我们 我的 咱们 你 他 她 它 他们 她们 它们 自己 大家 别人 这 那 这个 那个 这些 那些 这样 那样 这里 那里 这种 那种 此 的 地 得 了 着 过
  是 有 在 和 与 跟 及 或 或者 还是 也 都 就 才 又 再 还 很 太 好 更 最 非常 真 真的 特别 比较 十分 挺 蛮 超 超级 有点 有些 一些 一点 一下 一直 一个 一种 个 些 点
  不 没 没有 不是 不会 不能 不太 会 能 可以 可能 应该 要 想 需要 觉得 感觉 感到 认为 以为 知道 发现 希望 相信 让 给 把 被 对 向 从 到 为 为了 因为 所以 但 但是 不过 而且
  然后 如果 虽然 其实 只是 只 已经 正在 正 刚 刚刚 现在 今天 昨天 明天 最近 之前 以前 以后 后来 时候 有时 有时候 总是 经常 平时 一般 通常 每天 每次 去 来 上 下 里 中 外 前 后 内
  说 看 做 听 用 吃 起来 出来 下来 下去 事 事情 东西 问题 方面 方法 方式 办法 建议 推荐 帮助 内容 情况 感受 体验 机会 意思 有意思 有趣 好玩 不错 棒 美 美丽 漂亮 好看 好吃 好听 好用 重要 好多 现在 心情 状态
  喜欢 开心 高兴 快乐 愉快 舒服 舒畅 放松 兴奋 幸福 满意 难过 伤心 累 疲倦 困惑 迷茫 无助 孤独 焦虑 紧张 害怕 担心 烦恼 麻烦 压力 困难 复杂 简单 多 少 大 小 新 很多 许多 几 第一 次 种 谢谢 感谢
  吗 呢 吧 啊 呀 哦 哈 啦 嘛 嗯 尝试 试 试试 努力 考虑 继续 开始 决定 学到 收获 分享 聊 聊天 好好 认真 一定 确实 实在 完全 特别是 尤其 尤其是 怎么 什么 非常好 忙 该 合适 适合`.split(
    /\s+/,
  ),
);

/** How many words of a text say something; one of a single character counts as half. */
export function contentWords(text: string): number {
  let count = 0;
  for (const word of new Set(segment(toSimplified(text)))) {
    if (!/[\p{L}\p{N}]/u.test(word) || EMPTY.has(word)) continue;
    count += [...word].length > 1 ? 1 : 0.5;
  }
  return count;
}
