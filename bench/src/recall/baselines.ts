import { createEmbedder } from '@factmill/models';
import type { Conversation } from './conversations.ts';
import { type Answered, LIMIT, rateAnswer } from './recall.ts';

export type Baseline = Readonly<{ name: string; answered: readonly Answered[] }>;

/** BM25 as Robertson and Zaragoza recommend it (2009), and the rank constant of Cormack's reciprocal rank fusion. */
const K1 = 1.2;
const B = 0.75;
const RRF_K = 60;
/** Texts that are embedded together. */
const PER_CALL = 64;

/** The turns themselves, ranked for every question by BM25, by cosine with the built-in embedder and by both. */
export async function measureBaselines(conversations: readonly Conversation[]): Promise<Baseline[]> {
  const embedder = createEmbedder({ provider: 'local' });
  const answered: Record<'BM25' | 'cosine' | 'RRF', Answered[]> = { BM25: [], cosine: [], RRF: [] };
  try {
    for (const conversation of conversations) {
      const turns = conversation.sessions.flatMap((session) => session.turns);
      const everything = new Set(turns.map(({ id }) => id));
      const texts = textsOf(conversation);
      const rankByBm25 = createBm25(texts);
      const vectors = await embedAll(texts);
      for (const question of conversation.questions) {
        const [vector = []] = await embedAll([question.question]);
        const byWords = rankByBm25(question.question);
        const byCosine = rank(vectors.map((one) => dot(one, vector)));
        const rate = (places: readonly number[]) =>
          rateAnswer(
            conversation,
            question,
            places.slice(0, LIMIT).map((at) => [turns[at]?.id ?? '']),
            everything,
          );
        answered.BM25.push(rate(byWords));
        answered.cosine.push(rate(byCosine));
        answered.RRF.push(rate(fuse([byWords, byCosine], turns.length)));
      }
    }
  } finally {
    await embedder.close();
  }
  return Object.entries(answered).map(([name, all]) => ({ name: `turns, ${name}`, answered: all }));

  async function embedAll(texts: readonly string[]): Promise<number[][]> {
    const vectors: number[][] = [];
    for (let from = 0; from < texts.length; from += PER_CALL) {
      vectors.push(...(await embedder.embed(texts.slice(from, from + PER_CALL))));
    }
    return vectors;
  }
}

/** In conversations between people, the speaker is part of the searched text. */
function textsOf({ between, isStatements, sessions }: Conversation): string[] {
  const withSpeaker = between === 'people' && !isStatements;
  return sessions.flatMap(({ turns }) =>
    turns.map(({ speaker, text }) => (withSpeaker ? `${speaker}: ${text}` : text)),
  );
}

function createBm25(texts: readonly string[]): (query: string) => number[] {
  const documents = texts.map(termsOf);
  const averageLength = documents.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  const frequencies = new Map<string, number>();
  for (const terms of documents) {
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  const idfOf = (term: string): number => {
    const count = frequencies.get(term) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  return (query) => {
    const terms = [...new Set(termsOf(query))];
    return rank(
      documents.map((document) =>
        terms.reduce((sum, term) => {
          const count = document.filter((one) => one === term).length;
          const norm = count + K1 * (1 - B + (B * document.length) / averageLength);
          return sum + (idfOf(term) * count * (K1 + 1)) / norm;
        }, 0),
      ),
    );
  };
}

/** Words in lower case; every pair of neighbours in Chinese, Japanese and Korean. */
function termsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(word)) return [word];
    const symbols = [...word];
    return symbols.length === 1
      ? symbols
      : symbols.slice(1).map((symbol, at) => `${symbols[at] ?? ''}${symbol}`);
  });
}

/** Indexes by descending score; ties stay in order. */
function rank(scores: readonly number[]): number[] {
  return scores.map((_, at) => at).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
}

function fuse(rankings: readonly (readonly number[])[], count: number): number[] {
  const scores = Array.from({ length: count }, () => 0);
  for (const ranking of rankings) {
    for (const [at, place] of ranking.entries()) scores[place] = (scores[place] ?? 0) + 1 / (RRF_K + at + 1);
  }
  return rank(scores);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
