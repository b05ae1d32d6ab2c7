// Training in JavaScript: against `tril train`, against the definition of a step, on a task that needs attention. Wrong
// input is tested in trainer-refusals.test.ts.
import { readFileSync } from 'node:fs';
import type { ModelSettings, TokenBatch } from 'tril';
import { loadTril } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { bits, epsilon, expectClose, logitsTolerance, sumTolerance } from './reference.js';
import { expectRefused, model, small, text, tril, withoutLeak } from './trained.js';

/** The tolerance of the core's tests: fewer than 40 operations in a row, each a sum of up to 24 terms. */
const rounded = 40 * 24 * (epsilon / 2);

const largest = (numbers: Float32Array) => Math.max(...numbers.map(Math.abs));

describe('a trainer', () => {
  // Made by: tril train --data text.txt --layers 1 --heads 2 --width 16 --context 8 --batch 2
  //   --learning-rate 1e-2 --lowest-rate 1e-2 --warmup 0 --steps 20; tests/cli makes it again.
  it('has the losses of `tril train`', () => {
    withoutLeak(() => {
      const log = new URL('../golden/training/log.csv', import.meta.url);
      const lines = readFileSync(log, 'utf8').trim().split('\n').slice(1);
      const trainer = tril.trainer({ ...small, steps: 20 });
      let drift = 0; // the parameters' error, and its effect on the loss
      for (const [n, { loss, gradientNorm, learningRate, step }] of trainer.steps(20).entries()) {
        const [number, expected, , norm, rate] = lines[n]!.split(',').map(Number);
        expect([step, learningRate]).toEqual([number, rate]);
        const allowed = rounded * expected! + drift;
        expect(Math.abs(loss - expected!)).toBeLessThan(allowed);
        // A relative error of the gradient's norm moves each parameter by at most that share of the rate, and so the
        // loss by the root of the number of parameters times that (Cauchy and Schwarz).
        drift += rate! * Math.sqrt(trainer.parameterCount) * rounded * norm!;
        if (n === 0) expect(Math.abs(gradientNorm / norm! - 1)).toBeLessThan(rounded);
      }
      const [, , validation] = lines[19]!.split(',').map(Number);
      expect(Math.abs(trainer.evaluate().loss - validation!)).toBeLessThan(rounded * 4 + drift);
    });
  });

  it('counts what a step costs, and times its parts', () => {
    withoutLeak(() => {
      const [B, T, C, H, V, F] = [4, 8, 16, 2, 30, 64] as const;
      const [rows, D] = [B * T, C / H] as const;
      const trainer = tril.trainer({
        model: { layers: 2, heads: H, width: C, hidden: F, context: T, vocabulary: V },
      });
      const { forward, backward, optimizer } = trainer.cost(B, T);
      const linear = (a: number, b: number) => 2 * rows * a * b + rows * b;
      const norm = 8 * rows * C + 5 * rows;
      // All scores are computed, though softmax only reads those up to the diagonal.
      const scores = B * H * T * T;
      const attention = scores * (4 * D + 1) + (5 * B * H * T * (T + 1)) / 2;
      const layer = linear(C, 3 * C) + attention + linear(C, C) + linear(C, F) + linear(F, C);
      const loss = 2 * rows * C * V + 4 * rows * V + 3 * rows;
      const around = 2 * norm + 9 * rows * F + 2 * rows * C;
      expect(forward.flops).toBe(2 * (layer + around) + norm + loss + rows * C);

      const linearBack = (a: number, b: number) => 4 * rows * a * b + rows * b;
      const normBack = 13 * rows * C + 2 * rows;
      const attentionBack = scores * (10 * D + 6) + 2 * rows * C;
      const layerBack = linearBack(C, 3 * C) + attentionBack + linearBack(C, C) + linearBack(C, F);
      const aroundBack = linearBack(F, C) + 2 * normBack + 18 * rows * F + 2 * rows * C;
      const lossBack = 4 * rows * C * V + 4 * rows * V + rows;
      expect(backward.flops).toBe(
        2 * (layerBack + aroundBack) + normBack + lossBack + 2 * rows * C,
      );

      const numbers = trainer.parameterCount;
      const vectors = 2 * (4 * C + 3 * C + C + F + C) + 2 * C;
      expect(optimizer.flops).toBe(18 * numbers - vectors);
      expect(optimizer.bytes).toBe(4 * 7 * numbers);
      expect(backward.bytes - forward.bytes).toBe(4 * numbers);

      const step = trainer.step({ tokens: [[1, 2, 3]], targets: [[2, 3, 4]] });
      const parts = Object.values(step.parts);
      expect(parts.every((time) => time >= 0)).toBe(true);
      expect(parts.reduce((sum, time) => sum + time, 0)).toBeLessThanOrEqual(step.milliseconds);
      expectRefused(() => trainer.cost(0, 8), {
        call: 'cost',
        argument: 'sequences',
        says: 'at least 1',
      });
      expectRefused(() => trainer.cost(1, 1.5), {
        call: 'cost',
        argument: 'length',
        says: 'whole',
      });
    });
  });

  it('learns a task that cannot be done without attention', () => {
    withoutLeak(() => {
      // The target is the previous token. It is independent of the token itself, so that the loss stays at log 8
      // without attention.
      function* batches(): Generator<TokenBatch> {
        for (let seed = 1; ; ++seed) {
          const drawn = tril.randomUniform([16, 9], { seed, high: 8 });
          const rows = drawn.toArray<number[][]>().map((row) => row.map(Math.floor));
          drawn.dispose();
          const targets = rows.map((row) => [-100, ...row.slice(0, 8)]);
          yield { tokens: rows, targets };
        }
      }
      const trainer = tril.trainer({
        model: { layers: 1, heads: 1, width: 32, context: 9, vocabulary: 8 },
        batches: batches(),
        ...{ learningRate: 0.01, steps: 300, seed: 1 },
      });
      const [first] = trainer.steps(300);
      expect(Math.abs(first!.loss - Math.log(8))).toBeLessThan(0.1);
      const { value: unseen } = batches().next() as { value: TokenBatch };
      const { loss, counted, correct } = trainer.evaluate(unseen);
      expect(counted).toBe(16 * 8);
      expect(loss).toBeLessThan(Math.log(8) / 4);
      expect(correct).toBeGreaterThan(counted * 0.9);
      const { layers } = trainer.trace(unseen.tokens);
      const weights = layers[0]!.weights.toArray<number[][][][]>();
      const before = weights.flatMap(([head]) => head!.slice(1).map((row, t) => row[t]!));
      // Weight on other tokens tells nothing of the target: 7/8 of it costs at least log 8, which the loss limits.
      const mean = before.reduce((sum, weight) => sum + weight, 0) / before.length;
      expect(mean).toBeGreaterThan(0.5);
    });
  });

  it('goes on with the same bits after save and restore', () => {
    withoutLeak(() => {
      const options = { ...small, model: { ...model, dropout: 0.1 }, accumulation: 2 };
      const whole = tril.trainer(options);
      whole.steps(3);
      const checkpoint = whole.save();
      const expected = whole.steps(4).map(({ loss, gradientNorm }) => [loss, gradientNorm]);
      const end = whole.save();
      const copy = tril.trainer({ checkpoint, data: text });
      expect(copy.settings).toEqual(whole.settings);
      expect(copy.done).toBe(3);
      whole.restore(checkpoint);
      for (const trainer of [copy, whole]) {
        const again = trainer.steps(4).map(({ loss, gradientNorm }) => [loss, gradientNorm]);
        expect(again).toEqual(expected);
        expect(trainer.save()).toEqual(end);
      }
    });
  });

  it('moves as AdamW says, by gradients and moments that can be read', () => {
    withoutLeak(() => {
      const rate = 1e-2;
      const trainer = tril.trainer({ ...small, clip: 0.5 });
      const before = trainer.parameters();
      const { gradientNorm } = trainer.step();
      const [after, gradients, { first, second }] = [
        trainer.parameters(),
        trainer.gradients(),
        trainer.moments(),
      ];
      const scale = 0.5 / (gradientNorm + 1e-6);
      expect(gradientNorm).toBeGreaterThan(0.5);
      expect(Object.keys(gradients)).toEqual(Object.keys(before));
      expect(Object.keys(before)).toContain('h.0.attn.c_attn.weight');
      for (const [name, x] of Object.entries(before)) {
        const g = [...gradients[name]!.read()].map((value) => value * scale);
        const close = (found: Float32Array, wanted: number[], size: number) =>
          expectClose(found, wanted, 8 * epsilon * size);
        const largest = Math.max(...g.map(Math.abs));
        close(first[name]!.read(), g.map((value) => 0.1 * value), largest); // prettier-ignore
        close(second[name]!.read(), g.map((value) => 0.01 * value ** 2), largest ** 2); // prettier-ignore
        const decay = x.rank > 1 ? rate * 0.1 : 0;
        const moved = [...x.read()].map(
          (value, i) => value * (1 - decay) - (rate * g[i]!) / (Math.abs(g[i]!) + 1e-8),
        );
        // Where the gradient is close to eps, both it and its square are rounded: rate times that.
        expectClose(after[name]!.read(), moved, epsilon * (2 + 64 * rate));
      }
      expect(Object.keys(trainer.parameters(['ln_f.bias', 'wte.weight']))).toEqual([
        'ln_f.bias',
        'wte.weight',
      ]);
    });
  });

  it("trains Qwen2's family, and models with scaled positions", async () => {
    const own = await loadTril({ variant: 'simd' });
    const scaled = {
      ...({ rotaryScaling: 'llama3', rotaryScalingOriginal: 4 } as const),
      ...{ rotaryScalingFactor: 8, rotaryScalingLow: 1.5, rotaryScalingHigh: 3 },
    };
    const pairs = model.width / model.heads / 2;
    const ofEach = (factor: number) => Array<number>(pairs).fill(factor);
    const longrope = {
      ...({ rotaryScaling: 'longrope', rotaryScalingOriginal: 4 } as const),
      ...{ rotaryScalingShort: ofEach(1.25), rotaryScalingLong: ofEach(4) },
      rotaryScalingMagnitude: 1.25,
    };
    for (const settings of [
      { family: 'qwen2', layers: 1 },
      { family: 'llama', layers: 1, biases: false, projectionBiases: true, ...scaled },
      { family: 'llama', rotaryScaling: 'linear', rotaryScalingFactor: 2 },
      { family: 'llama', ...longrope },
    ] as const) {
      const trainer = tril.trainer({ ...small, model: { ...model, ...settings } });
      expect(trainer.settings.model).toMatchObject(settings);
      trainer.steps(2);
      const tokens = [...trainer.encode('the mat.')];
      const { logits } = trainer.trace(tokens);
      const opened = await own.loadModel(trainer.export());
      expect(opened.config['model_type']).toBe(settings.family === 'qwen2' ? 'qwen2' : 'llama');
      const [same, shown] = [opened.forward(tokens).logits.read(), logits.read()];
      expectClose(same, shown, 2 * logitsTolerance * largest(shown));
      opened.dispose();
      trainer.dispose();
    }
    // Scaling changes the rotation of a position.
    const plain = tril.trainer({ ...small, model: { ...model, family: 'llama' } });
    const tokens = [...plain.encode('the mat.')];
    for (const scaling of [scaled, longrope]) {
      const other = tril.trainer({ ...small, model: { ...model, family: 'llama', ...scaling } });
      expect(other.trace(tokens).logits.read()).not.toEqual(plain.trace(tokens).logits.read());
      other.dispose();
    }
    plain.dispose();
  });

  it('shows the attention of every head, and the logits that the loss is of', () => {
    withoutLeak(() => {
      const trainer = tril.trainer({
        ...small,
        model: { ...model, family: 'llama', layers: 2, heads: 4, kvHeads: 2 },
      });
      trainer.steps(2);
      const tokens = [...trainer.encode('the mat.')];
      const targets = tokens.map((token, i) => tokens[i + 1] ?? token);
      const { logits, layers } = trainer.trace(tokens);
      expect(layers).toHaveLength(2);
      const { loss } = tril.crossEntropy(logits, targets);
      // A loss has at most twice the error of its logits, in both computations.
      const evaluated = trainer.evaluate({ tokens, targets }).loss;
      expectClose([loss], [evaluated], 4 * logitsTolerance * largest(logits.read()));
      for (const { weights } of layers) {
        expect(weights.shape).toEqual([4, 8, 8]);
        weights.toArray<number[][][]>().forEach((head) =>
          head.forEach((row, t) => {
            expect(row.slice(t + 1).every((weight) => weight === 0)).toBe(true);
            const sum = row.reduce((before, weight) => before + weight, 0);
            expectClose([sum], [1], sumTolerance(row.length));
          }),
        );
      }
      const batch = trainer.trace([tokens, tokens]);
      expect(batch.logits.shape).toEqual([2, ...logits.shape]);
      expect(batch.layers[1]!.weights.shape).toEqual([2, 4, 8, 8]);
    });
  });

  it('has the parameters that are put there', () => {
    withoutLeak(() => {
      const [one, other] = [tril.trainer(small), tril.trainer({ ...small, seed: 2 })];
      expect(one.evaluate().loss).not.toBe(other.evaluate().loss);
      expect(one.setParameters(other.parameters())).toBe(one);
      const all = (trainer: typeof one) =>
        Object.entries(trainer.parameters()).map(([name, tensor]) => [name, bits(tensor)]);
      expect(all(one)).toEqual(all(other));
      expect(one.evaluate().loss).toBe(other.evaluate().loss);
      // Names and shapes are those of the files: this matrix is transposed in memory.
      const name = 'h.0.mlp.c_fc.weight';
      const zeros = tril.zeros([16, 64]);
      one.setParameters({ [name]: zeros });
      expect(bits(one.parameters([name])[name]!)).toEqual(bits(zeros));
      one.setParameters({});
    });
  });

  it('refuses parameters that do not fit, all of them', () => {
    withoutLeak(() => {
      const trainer = tril.trainer(small);
      const state = trainer.save();
      const [good, bad] = [tril.zeros([16]), tril.zeros([16, 48])];
      const set = (values: unknown) => () => trainer.setParameters(values as never);
      const refuse = (values: unknown, argument: string, says: string) =>
        expectRefused(set(values), { call: 'setParameters', argument, says });
      const name = 'h.0.mlp.c_fc.weight';
      const wanted = 'the shape of the parameter, [16, 64]';
      refuse({ 'ln_f.weight': good, [name]: bad }, name, wanted);
      refuse({ 'ln_f.weight': good, none: good }, 'values', 'there is no parameter none');
      refuse({ 'ln_f.weight': [1] }, 'ln_f.weight', 'must be a tensor');
      refuse([good], 'values', 'must be an object');
      refuse(null, 'values', 'must be an object');
      expect(trainer.save()).toEqual(state);
      trainer.dispose();
      expectRefused(set({}), { call: 'setParameters', argument: 'trainer', says: 'disposed' });
    });
  });

  it('is written as files that other libraries open', async () => {
    const trainer = tril.trainer(small);
    trainer.steps(2);
    const files = trainer.export();
    const json = (name: keyof typeof files) => JSON.parse(new TextDecoder().decode(files[name]));
    expect(json('config.json')).toMatchObject({ model_type: 'gpt2', n_layer: 1, n_positions: 8 });
    expect(json('tokenizer.json').model.type).toBe('BPE');
    const arrays = await tril.readArrays(files['model.safetensors'], 'model.safetensors');
    const own = trainer.parameters();
    expect(arrays.map(({ name }) => name).sort()).toEqual(Object.keys(own).sort());
    for (const { name, tensor } of arrays) expect(bits(tensor)).toEqual(bits(own[name]!));
    for (const { tensor } of arrays) tensor.dispose();
    for (const tensor of Object.values(own)) tensor.dispose();
    trainer.dispose();
  });

  it('takes texts, bytes, tokens, and hidden tokens', () => {
    withoutLeak(() => {
      const bytes = new TextEncoder().encode(text);
      for (const tokenizer of ['bytes', 'chars', 'words', 'bpe'] as const) {
        const own = { ...small, model: { ...model, vocabulary: 270 }, tokenizer };
        const [a, b] = [tril.trainer(own), tril.trainer({ ...own, data: bytes })];
        expect(a.step().loss).toBe(b.step().loss);
        expect(a.decode(a.encode('the cät'))).toBe('the cät');
        expect(a.decode(a.encode('\ufeffthe'))).toBe('\ufeffthe');
        expect(a.sample({ maxTokens: 5 })).toBe(b.sample({ maxTokens: 5 }));
        expect(a.settings.model.vocabulary).toBeLessThanOrEqual(270);
      }
      const ids = Int32Array.from({ length: 300 }, (_, i) => (i * 3) % 11);
      const numbers = tril.trainer({ ...small, data: ids });
      expect(numbers.settings.model.vocabulary).toBe(11);
      expect(numbers.steps(60).at(-1)!.loss).toBeLessThan(1);
      expect([...numbers.generate({ prompt: [0, 3], maxTokens: 4, temperature: 0 })]).toEqual([
        6, 9, 1, 4,
      ]);
      const masked = tril.trainer({ ...small, objective: 'masked', steps: 30 });
      const { causal, vocabulary } = masked.settings.model;
      expect([causal, masked.settings.maskToken]).toEqual([false, vocabulary - 1]);
      expect(masked.steps(30).every(({ loss }) => loss < 6)).toBe(true);
      const both = tril.trainer({ model: { ...model, causal: false, vocabulary: 5 } });
      expect(both.step({ tokens: [[1, 4]], targets: [[-100, 2]] }).tokens).toBe(2);
    });
  });

  it('leaves out what it is told to', () => {
    withoutLeak(() => {
      const batch = { tokens: [[1, 2, 3]], targets: [[2, 3, 4]] };
      const own = { ...model, vocabulary: 5, biases: false };
      const lossOf = (changed: ModelSettings) => {
        const trainer = tril.trainer({
          model: { ...own, ...changed },
          learningRate: 0.1,
          warmup: 0,
        });
        expect(trainer.settings.model).toMatchObject(changed);
        return trainer.steps([batch, batch, batch])[2]!.loss;
      };
      const usual = lossOf({});
      const without = [
        lossOf({ norm: 'none' }),
        lossOf({ positions: 'none' }),
        lossOf({ scaledScores: false }),
        lossOf({ residual: false }),
      ];
      expect(new Set([usual, ...without]).size).toBe(5);
      const bare = tril.trainer({ model: { ...own, norm: 'none', positions: 'none' } });
      const names = Object.keys(bare.parameters());
      expect(names.filter((name) => /ln_|wpe/.test(name))).toEqual([]);
    });
  });

  it('draws the same for the same seed', () => {
    withoutLeak(() => {
      const trainer = tril.trainer(small);
      const draw = (seed: number) => trainer.sample({ prompt: 'the', maxTokens: 20, seed });
      expect(draw(1)).toBe(draw(1));
      expect(draw(1)).not.toBe(draw(2));
      expect(trainer.sample({ maxTokens: 3 })).toBe(trainer.sample({ maxTokens: 3 }));
    });
  });

  it('gives its memory back', async () => {
    const own = await loadTril({ variant: 'simd' });
    const round = () => {
      const trainer = own.trainer(small);
      trainer.step();
      trainer.evaluate();
      for (const { weights } of trainer.trace([1, 2]).layers) weights.dispose();
      trainer.dispose();
      trainer.dispose();
      expect(trainer.disposed).toBe(true);
    };
    own.scope(round);
    const before = own.memory();
    expect(before).toMatchObject({ tensors: 0, bytes: 0 });
    for (let i = 0; i < 50; ++i) own.scope(round);
    expect(own.memory()).toEqual(before);
    const { trainer, bytes } = own.scope(() => {
      own.trainer(small);
      return { trainer: own.trainer(small), bytes: own.memory().bytes };
    });
    expect(own.memory().bytes).toBe(bytes / 2); // the other one is disposed
    // At least values, gradients and two moments.
    expect(own.memory().bytes).toBeGreaterThanOrEqual(4 * 4 * trainer.parameterCount);
    trainer.dispose();
    expect(own.memory().bytes).toBe(0);
  });
});
