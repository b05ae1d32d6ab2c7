// The blocks of a long attention that a mask allows to skip, computed by the core. There is no arithmetic here.
import type { Mask, Tensor } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import { blockSize, type BlockPattern } from '../../shared/lessons/mask-rules';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { download, upload } from '../../shared/lessons/matrices';
import type { Call } from './timed';

export interface BlocksAsk {
  readonly pattern: BlockPattern;
  readonly tokens: number;
}

export interface BlocksAnswer {
  /** 1 for a block of queries and keys that attention visits, 0 for one that it skips. */
  readonly visited: MatrixData;
  /** Share of visible pairs in each block. */
  readonly seen: MatrixData;
  readonly skipped: number;
  /** Number of computed scores, and their number without a mask. */
  readonly scores: number;
  readonly pairs: number;
}

export interface BlocksLessons {
  blocks: { ask: BlocksAsk; answer: BlocksAnswer };
}

/** The matrix with every `from` replaced by `to`. */
const withOther = (given: MatrixData, from: number, to: number): MatrixData => ({
  ...given,
  data: given.data.map((value) => (value === from ? to : value)),
});

function patternMask({ mask }: Tril, { pattern, tokens }: BlocksAsk): Mask {
  switch (pattern) {
    case 'full':
      return mask.and();
    case 'causal':
      return mask.causal();
    case 'window':
      return mask.and(mask.causal(), mask.window({ left: 255 }));
    case 'strided':
      return mask.and(mask.causal(), mask.strided({ local: 64, stride: 64 }));
    case 'padding':
      return mask.padding([tokens / 2]);
  }
}

/** Averages `each` neighbours: [tokens / each, tokens]. */
function pooling(tril: Tril, tokens: number, each: number): Tensor {
  const rows = tokens / each;
  const data = new Float32Array(rows * tokens);
  for (let row = 0; row < rows; ++row) {
    data.fill(1 / each, row * tokens + row * each, row * tokens + (row + 1) * each);
  }
  return tril.tensor([rows, tokens], data);
}

const width = 64;

const costOf = ({ cost }: Tril, tokens: number, mask?: Mask) =>
  cost.attention({ queries: tokens, keys: tokens, width, method: 'online', mask });

/** Online attention in these blocks. */
export const blocksCall: Call<BlocksAsk> = (tril, ask) => {
  const mask = patternMask(tril, ask);
  return {
    cost: costOf(tril, ask.tokens, mask),
    prepare() {
      const q = tril.randomNormal([1, 1, ask.tokens, width], { seed: 1 });
      return () => tril.onlineAttention(q, q, q, { mask, blocks: blockSize });
    },
  };
};

export const blocksAnswers: Answers<BlocksLessons> = {
  blocks(tril, ask) {
    const { tokens } = ask;
    const mask = patternMask(tril, ask);
    const narrow = tril.zeros([1, 1, tokens, 1]);
    const options = { mask, blocks: blockSize, trace: true } as const;
    const visited = download(tril.onlineAttention(narrow, narrow, narrow, options).trace.visited);
    const hidden = download(tril.mask.toTensor(mask, [tokens, tokens]));
    const visible = upload(tril, withOther(withOther(hidden, 0, 1), -Infinity, 0));
    const byKeys = tril.matmul(visible, pooling(tril, tokens, blockSize.keys), {
      transposeB: true,
    });
    return {
      visited,
      seen: download(tril.matmul(pooling(tril, tokens, blockSize.queries), byKeys)),
      skipped: visited.data.filter((one) => one === 0).length,
      scores: costOf(tril, tokens, mask).scores,
      pairs: costOf(tril, tokens).scores,
    };
  },
};
