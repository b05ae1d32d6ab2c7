// The recipes: options of the program `tril`, and for the sibling those of the package.

const common = '--family llama --tokenizer bpe --dtype float16 --validate-every 250';

/** The steps of the sibling's shipped checkpoints: they are close together while its heads are born. */
export const kept = [
  ...[0, 200, 400, 600, 800, 900, 1000, 1100, 1200, 1300, 1400],
  ...[1600, 2000, 2500, 3000],
];

/** The deviation of the sibling's initial matrices. */
export const deviation = 0.1;

/** The sibling's recipe, as options of `tril.trainer`; repeats.mjs makes its batches. */
export const siblingRecipe = {
  model: {
    ...{ family: 'qwen2', layers: 2, heads: 2, width: 64, context: 128 },
    ...{ vocabulary: 1024, tiedHead: true },
  },
  ...{ tokenizer: 'bpe', batch: 8, steps: 3000, seed: 1337 },
  ...{ learningRate: 5e-3, lowestRate: 5e-5, warmup: 100 },
};

export const recipes = {
  gpt: `${common} --vocabulary 2048 --layers 5 --heads 6 --width 192 --context 256 --batch 8 --dropout 0.05 --learning-rate 3e-3 --lowest-rate 3e-5 --steps 5000 --warmup 200 --sample 40`,
  encoder: `${common} --objective masked --vocabulary 4096 --layers 4 --heads 4 --width 128 --context 128 --batch 16 --learning-rate 3e-3 --lowest-rate 3e-5 --steps 2500 --warmup 200 --sample 0`,
  vectors: '--width 96 --window 5 --negative 5 --epochs 10 --min-count 20 --dtype float16',
};
