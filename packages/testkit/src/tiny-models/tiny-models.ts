import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Graph, toOnnxFile } from './onnx-file.ts';

/** Files of a model by name below its folder. */
export type TinyFiles = Readonly<Record<string, string | Buffer>>;

type EncoderOptions = Readonly<{
  /** The vector of each known word. All have one length. */
  words: Readonly<Record<string, readonly number[]>>;
  /** Vectors of [PAD], [UNK], [CLS] and [SEP]; default all 0. */
  specials?: readonly (readonly number[])[];
  /** As in sentence-transformers: `cls_token`, `mean_tokens`, …; null for no `1_Pooling`. Default `mean_tokens`. */
  pooling?: string | null;
  prompts?: Readonly<Record<string, string>>;
  maxTokens?: number;
}>;

const SPECIALS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const TOKENS = ['input_ids', 'attention_mask', 'token_type_ids'].map(
  (name) => ({ name, type: 'int64', shape: ['batch', 'tokens'] }) as const,
);

/**
 * An encoder that looks each word up in a table: a real ONNX file of a few hundred bytes with a real tokenizer, in the
 * folder layout of sentence-transformers.
 */
export function tinyEncoder(options: EncoderOptions): TinyFiles {
  const { words, pooling = 'mean_tokens', prompts, maxTokens = 64 } = options;
  const dimensions = Object.values(words)[0]?.length ?? 1;
  const zero = Array.from({ length: dimensions }, () => 0);
  const table = [...SPECIALS.map((_, index) => options.specials?.[index] ?? zero), ...Object.values(words)];
  const graph: Graph = {
    inputs: TOKENS,
    outputs: [{ name: 'last_hidden_state', type: 'float', shape: ['batch', 'tokens', dimensions] }],
    constants: [{ name: 'table', type: 'float', shape: [table.length, dimensions], values: table.flat() }],
    nodes: [{ op: 'Gather', inputs: ['table', 'input_ids'], output: 'last_hidden_state' }],
  };
  return {
    'onnx/model.onnx': toOnnxFile(graph),
    'config.json': JSON.stringify({ model_type: 'bert', hidden_size: dimensions, pad_token_id: 0 }),
    'sentence_bert_config.json': JSON.stringify({ max_seq_length: maxTokens }),
    ...tokenizerFiles(Object.keys(words)),
    ...(pooling === null
      ? {}
      : { '1_Pooling/config.json': JSON.stringify({ [`pooling_mode_${pooling}`]: true }) }),
    ...(prompts === undefined ? {} : { 'config_sentence_transformers.json': JSON.stringify({ prompts }) }),
  };
}

/** A cross-encoder whose logit is twice the number of pairs of equal known words in query and document, less 2. */
export function tinyCrossEncoder(words: readonly string[]): TinyFiles {
  const graph: Graph = {
    inputs: TOKENS,
    outputs: [{ name: 'logits', type: 'float', shape: ['batch', 1] }],
    constants: [
      { name: 'lastSpecial', type: 'int64', shape: [], values: [SPECIALS.length - 1] },
      { name: 'axis1', type: 'int64', shape: [1], values: [1] },
      { name: 'axis2', type: 'int64', shape: [1], values: [2] },
      { name: 'both', type: 'int64', shape: [2], values: [1, 2] },
      { name: 'two', type: 'float', shape: [], values: [2] },
    ],
    nodes: [
      { op: 'Greater', inputs: ['input_ids', 'lastSpecial'], output: 'isWord' },
      ...toFloat('isWord', 'word'),
      ...toFloat('attention_mask', 'mask'),
      ...toFloat('token_type_ids', 'type'),
      { op: 'Mul', inputs: ['word', 'mask'], output: 'known' },
      { op: 'Mul', inputs: ['known', 'type'], output: 'document' },
      { op: 'Sub', inputs: ['known', 'document'], output: 'query' },
      { op: 'Unsqueeze', inputs: ['input_ids', 'axis2'], output: 'rows' },
      { op: 'Unsqueeze', inputs: ['input_ids', 'axis1'], output: 'columns' },
      { op: 'Equal', inputs: ['rows', 'columns'], output: 'isEqual' },
      ...toFloat('isEqual', 'equal'),
      { op: 'Unsqueeze', inputs: ['query', 'axis2'], output: 'queryRows' },
      { op: 'Unsqueeze', inputs: ['document', 'axis1'], output: 'documentColumns' },
      { op: 'Mul', inputs: ['queryRows', 'documentColumns'], output: 'across' },
      { op: 'Mul', inputs: ['equal', 'across'], output: 'pairs' },
      { op: 'ReduceSum', inputs: ['pairs', 'both'], output: 'count', attributes: { keepdims: 0 } },
      { op: 'Mul', inputs: ['count', 'two'], output: 'doubled' },
      { op: 'Sub', inputs: ['doubled', 'two'], output: 'shifted' },
      { op: 'Unsqueeze', inputs: ['shifted', 'axis1'], output: 'logits' },
    ],
  };
  return {
    'onnx/model.onnx': toOnnxFile(graph),
    'config.json': JSON.stringify({ model_type: 'bert', hidden_size: 1, max_position_embeddings: 64 }),
    ...tokenizerFiles(words),
  };
}

/** Writes the files below a folder, which is made. */
export async function writeTinyModel(folder: string, files: TinyFiles): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

function toFloat(input: string, output: string) {
  return [{ op: 'Cast', inputs: [input], output, attributes: { to: 1 } }];
}

/** A tokenizer in the manner of BERT that knows these words and no parts of words. */
function tokenizerFiles(words: readonly string[]): TinyFiles {
  const vocabulary = Object.fromEntries([...SPECIALS, ...words].map((word, id) => [word, id]));
  const special = (id: string, typeId: number) => ({ SpecialToken: { id, type_id: typeId } });
  const sequence = (id: string, typeId: number) => ({ Sequence: { id, type_id: typeId } });
  const single = [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0)];
  return {
    'tokenizer.json': JSON.stringify({
      version: '1.0',
      added_tokens: SPECIALS.map((content, id) => ({
        id,
        content,
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      })),
      normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single,
        pair: [...single, sequence('B', 1), special('[SEP]', 1)],
        special_tokens: Object.fromEntries(
          SPECIALS.slice(2).map((id, index) => [id, { id, ids: [index + 2], tokens: [id] }]),
        ),
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: vocabulary,
      },
    }),
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 1e30 }),
  };
}
