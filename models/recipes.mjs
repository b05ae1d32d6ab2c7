// What is trained, as options of `tril`.

const common = '--family llama --tokenizer bpe --dtype float16 --validate-every 250';

/** Steps after which the sibling is kept: those in which its heads are born are close together. */
export const kept = [0, 100, 200, 400, 600, 800, 1000, 1250, 1500, 2000, 3000, 4000];

export const recipes = {
  gpt: `${common} --vocabulary 2048 --layers 5 --heads 6 --width 192 --context 256 --batch 8 --dropout 0.05 --learning-rate 3e-3 --lowest-rate 3e-5 --steps 5000 --warmup 200 --sample 40`,
  sibling: `${common} --vocabulary 1024 --layers 2 --heads 4 --width 64 --context 128 --batch 16 --learning-rate 4e-3 --lowest-rate 4e-5 --steps 4000 --warmup 100 --sample 0 --keep ${kept.join(' ')}`,
  encoder: `${common} --objective masked --vocabulary 4096 --layers 4 --heads 4 --width 128 --context 128 --batch 16 --learning-rate 3e-3 --lowest-rate 3e-5 --steps 2500 --warmup 200 --sample 0`,
  vectors: '--width 96 --window 5 --negative 5 --epochs 10 --min-count 20 --dtype float16',
};
