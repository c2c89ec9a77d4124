import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BitCodes, wordsOfCode } from './estimate-similarities.ts';
import { type Facets, projectsOf } from './facets.ts';

/**
 * What a search has to know of a user's memories to choose those that are worth reading, as of one moment. Rows are
 * memories, numbered as they were loaded.
 */
export type UserIndex = Readonly<{
  /** The oldest transaction that may not be in the index, as xid8. */
  watermark: string;
  /** Of the bit codes; null where no embedding model is in use. */
  model: string | null;
  size: number;
  /** The 16 bytes of each row's id. */
  ids: Buffer;
  /** Characters of each row's text. */
  lengths: Uint32Array;
  /** Since when each row holds, in milliseconds. */
  begins: Float64Array;
  codes: BitCodes;
  /** The row of each code: not every memory has a vector. */
  rowOfCode: Uint32Array;
  postings: Postings;
  facets: Facets;
  /** Each piece between white space of all texts, once, one in a line: what is in no line is in no text. */
  pieces: string;
  /** Lexemes of the latest memories that misspelt words may have meant, with their keys in the postings. */
  spelt: ReadonlyMap<string, number>;
  /** Names of the projects that the memories belong to. */
  projects: readonly string[];
  /** Ids of memories that did not hold yet. They are no rows: searches read them beside what was written since. */
  upcoming: Buffer;
}>;

/** An inverted index: which rows have a lexeme. */
export type Postings = Readonly<{
  /** Hashes of lexemes, ascending. */
  keys: Float64Array;
  /** Where the rows of a lexeme begin; those of the next begin where they end. */
  starts: Uint32Array;
  /** Of all lexemes the rows that have them, ascending for each. */
  rows: Uint32Array;
}>;

/** Some memories as Postgres sends them: numbers big-endian, one after the other. */
export type IndexPage = Readonly<{
  ids: Buffer;
  /** int4 for each memory: characters of its text, and how many lexemes it has. */
  lengths: Buffer;
  /** float8 for each memory: since when it holds, in milliseconds. */
  begins: Buffer;
  lexemeCounts: Buffer;
  /** int8 for each lexeme of each memory. */
  keys: Buffer;
  /** For each memory how many bits its code has (int4), and the bits; 0 and none without a vector. */
  codes: Buffer;
  /** The lexemes of the keys, one in a line; empty where they are not wanted. */
  lexemes: string;
  /** The texts, one after the other. */
  texts: string;
  /** Of each memory. */
  facets: readonly (readonly string[])[];
  /** Ids of memories that begin to hold later, which are in none of the others. */
  upcoming: Buffer;
}>;

/** Misspelt words are looked for among the words of so many of the latest memories. */
export const MAX_SPELT_MEMORIES = 2_000;
/** Lexemes without digits, that are not too short to be misspelt. */
const SPELT = /^\D{3,}$/;

const ID_BYTES = 16;
const INT4 = 4;
const INT8 = 8;
const FLOAT8 = 8;
/** What an entry of a map of texts takes beside the text, about. */
const ENTRY_BYTES = 200;
/** What a lexeme takes in a map with a list of its rows, and a piece in a set, about. */
const LEXEME_BYTES = 110;
const PIECE_BYTES = 80;

/** Puts an index together from its pages. */
export function createIndexBuilder() {
  const ids: Buffer[] = [];
  const lengths: number[] = [];
  const begins: number[] = [];
  const rowsOfKey = new Map<number, number[]>();
  const codes: Buffer[] = [];
  const rowOfCode: number[] = [];
  const rowsOfFacet = new Map<string, number[]>();
  const pieces = new Set<string>();
  const spelt = new Map<string, number>();
  const upcoming: Buffer[] = [];
  let dimensions = 0;
  let postings = 0;
  let facetBytes = 0;
  let wordBytes = 0;

  function addPieces(texts: string): void {
    for (const piece of texts.match(/\S+/g) ?? []) {
      const { size } = pieces;
      if (pieces.add(piece).size > size) wordBytes += 2 * (piece.length + 1);
    }
  }

  function addLexeme(lexeme: string | undefined, key: number, row: number): void {
    if (lexeme === undefined || row >= MAX_SPELT_MEMORIES || !SPELT.test(lexeme)) return;
    spelt.set(lexeme, key);
    wordBytes += ENTRY_BYTES + 2 * lexeme.length;
  }

  function addCodes(page: Buffer, firstRow: number): void {
    for (let at = 0, row = firstRow; at < page.length; row += 1) {
      const bits = page.readUInt32BE(at);
      const bytes = Math.ceil(bits / 8);
      if (bits > 0) {
        dimensions = bits;
        codes.push(page.subarray(at + INT4, at + INT4 + bytes));
        rowOfCode.push(row);
      }
      at += INT4 + bytes;
    }
  }

  function addFacets(facets: readonly string[], row: number): void {
    for (const facet of facets) {
      const rows = rowsOfFacet.get(facet);
      if (rows === undefined) rowsOfFacet.set(facet, [row]);
      else rows.push(row);
      facetBytes += INT4 + (rows === undefined ? ENTRY_BYTES + 2 * facet.length : 0);
    }
  }

  return {
    add(page: IndexPage): void {
      const firstRow = lengths.length;
      ids.push(page.ids);
      upcoming.push(page.upcoming);
      page.facets.forEach((facets, row) => addFacets(facets, firstRow + row));
      addPieces(page.texts);
      const lexemes = page.lexemes === '' ? [] : page.lexemes.split('\n');
      for (let row = 0, key = 0; row * INT4 < page.lengths.length; row += 1) {
        lengths.push(page.lengths.readUInt32BE(row * INT4));
        begins.push(page.begins.readDoubleBE(row * FLOAT8));
        const end = key + page.lexemeCounts.readUInt32BE(row * INT4);
        for (; key < end; key += 1) {
          const hash = readInt8(page.keys, key * INT8);
          const rows = rowsOfKey.get(hash);
          if (rows === undefined) {
            rowsOfKey.set(hash, [firstRow + row]);
            addLexeme(lexemes[key], hash, firstRow + row);
          } else rows.push(firstRow + row);
          postings += 1;
        }
      }
      addCodes(page.codes, firstRow);
    },
    /** How many memories hold now. */
    size: () => lengths.length,
    /** How many memories begin to hold later. */
    upcoming: () => upcoming.reduce((sum, page) => sum + page.length, 0) / ID_BYTES,
    /** Bytes that the index will take. */
    bytes: () =>
      lengths.length * (ID_BYTES + INT4 + FLOAT8) +
      codes.length * INT4 * (1 + wordsOfCode(dimensions)) +
      rowsOfKey.size * (INT8 + INT4) +
      postings * INT4 +
      facetBytes +
      wordBytes,
    /** Bytes that its parts take now, about. */
    buildingBytes: () =>
      rowsOfKey.size * LEXEME_BYTES + postings * INT8 + pieces.size * PIECE_BYTES + facetBytes + wordBytes,
    /** Between its larger parts others have their turn. */
    async build(of: Pick<UserIndex, 'watermark' | 'model'>): Promise<UserIndex> {
      const facets = new Map(Array.from(rowsOfFacet, ([facet, rows]) => [facet, Uint32Array.from(rows)]));
      const keys = Float64Array.from(rowsOfKey.keys()).sort();
      const lists = await toPostings(keys, rowsOfKey, postings);
      await nextTurn();
      const words = toWords(codes, wordsOfCode(dimensions));
      await nextTurn();
      return {
        ...of,
        size: lengths.length,
        ids: Buffer.concat(ids),
        lengths: Uint32Array.from(lengths),
        begins: Float64Array.from(begins),
        codes: { size: codes.length, dimensions, words },
        rowOfCode: Uint32Array.from(rowOfCode),
        postings: lists,
        facets,
        pieces: [...pieces].join('\n'),
        spelt,
        projects: projectsOf(facets),
        upcoming: Buffer.concat(upcoming),
      };
    },
  };
}

/** Ids of rows, 16 bytes each. */
export function idsOf({ ids }: Pick<UserIndex, 'ids'>, rows: readonly number[]): Buffer {
  return Buffer.concat(rows.map((row) => ids.subarray(row * ID_BYTES, (row + 1) * ID_BYTES)));
}

/** A number of up to 53 bits. */
function readInt8(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + INT4);
}

/** The bytes of codes, the first in the highest bits of a word. */
function toWords(codes: readonly Buffer[], wordsOfEach: number): Uint32Array {
  const words = new Uint32Array(codes.length * wordsOfEach);
  for (const [row, code] of codes.entries()) {
    for (let at = 0; at < code.length; at += 1) {
      const place = row * wordsOfEach + (at >> 2);
      words[place] = (words[place] ?? 0) | ((code[at] ?? 0) << (24 - 8 * (at & 3)));
    }
  }
  return words;
}

/** Looking up 600,000 keys at once took 0.7 s of processor time on a busy machine; 20,000 take a thirtieth of that. */
const KEYS_PER_TURN = 20_000;

async function toPostings(
  keys: Float64Array,
  rowsOfKey: ReadonlyMap<number, readonly number[]>,
  count: number,
): Promise<Postings> {
  const starts = new Uint32Array(keys.length + 1);
  const rows = new Uint32Array(count);
  let end = 0;
  for (let at = 0; at < keys.length; at += 1) {
    if (at % KEYS_PER_TURN === 0) await nextTurn();
    const ofKey = rowsOfKey.get(keys[at] ?? 0) ?? [];
    rows.set(ofKey, end);
    end += ofKey.length;
    starts[at + 1] = end;
  }
  return { keys, starts, rows };
}
