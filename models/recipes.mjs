// What is trained, as options of `tril`.

const common = '--tokenizer bpe --vocabulary 2048 --context 128 --batch 16 --dtype float16';
const rate = '--learning-rate 2e-3 --lowest-rate 4e-5';

/** Steps after which the sibling is kept: heads are born early, in few steps. */
export const kept = [0, 50, 100, 200, 300, 400, 600, 800, 1000, 1250, 1500, 1750, 2000, 2250];

export const recipes = {
  gpt: `${common} ${rate} --layers 4 --heads 4 --width 128 --steps 1835 --warmup 150 --validate-every 250 --sample 40`,
  sibling: `${common} ${rate} --layers 2 --heads 4 --width 64 --steps 2250 --warmup 50 --validate-every 250 --sample 0 --keep ${kept.join(' ')}`,
  vectors: '--width 96 --window 5 --negative 5 --epochs 10 --min-count 20 --dtype float16',
};
