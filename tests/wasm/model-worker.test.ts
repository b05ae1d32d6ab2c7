// Models in a Worker: loaded from bytes and from Blobs, with progress, cancellable at any tensor; the same numbers and
// texts as here, sent token by token.
import { openAsBlob } from 'node:fs';
import { TrilError } from 'tril';
import type { GeneratedPart } from 'tril/training';
import { loadTril, RemoteModel, RemoteTensor } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { filesOf, folder as folderOf, tokens, tril as local } from './golden-models.js';
import { tril } from './remote.js';

const folder = folderOf('llama');
const bytes = filesOf('llama');
const names = Object.keys(bytes);

const settings = { layers: 1, heads: 2, width: 16, context: 16 };
const data = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
const trainer = local.trainer({ model: settings, data, learningRate: 1e-2, steps: 60, batch: 8 });
trainer.steps(60);
const trained = trainer.export();
trainer.dispose();

/** Runs `body`, and expects all of the Worker's memory to be freed after it. */
async function withoutLeak(body: () => Promise<void>) {
  const before = await tril.memory();
  await body();
  expect(await tril.memory()).toEqual(before);
}

/** All tensors in a call's result. */
const tensorsIn = (value: unknown): RemoteTensor[] => {
  if (value instanceof RemoteTensor) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(tensorsIn) : [];
};

describe('a model in a Worker', () => {
  it('says what it says here, from bytes and from Blobs', async () => {
    const here = await local.loadModel(bytes);
    const { logits, trace } = here.forward(tokens, {
      trace: true,
      without: [{ layer: 0, head: 1 }],
    });
    const blobs = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await openAsBlob(new URL(name, folder))] as const),
      ),
    );
    const list = names.map((name) => new File([new Uint8Array(bytes[name]!)], name));
    for (const files of [bytes, blobs, list]) {
      const model = await tril.loadModel(files);
      expect(model).toBeInstanceOf(RemoteModel);
      expect(model.config).toEqual(here.config);
      expect(model.parameters).toEqual(here.parameters);
      const there = await model.forward(tokens, { trace: true, without: [{ layer: 0, head: 1 }] });
      expect(await there.logits.read()).toEqual(logits.read());
      const weights: RemoteTensor = there.trace.layers[1]!.weights;
      expect(await weights.read()).toEqual(trace.layers[1]!.weights.read());
      const values = there.trace.layers[1]!.residPost;
      const same = await model.forward([2, ...tokens.slice(1)], {
        replace: [{ layer: 1, part: 'residual', values }],
      });
      expect(await same.logits.read()).toEqual(logits.read());
      for (const each of tensorsIn([there, same])) await each.dispose();
      await model.dispose();
      await expect(model.forward([1])).rejects.toMatchObject({
        message: 'forward: model: has been disposed',
      });
    }
    here.dispose();
  });

  it('tells how far it is, and ends where it is aborted or what is told throws', async () => {
    const here: number[][] = [];
    (await local.loadModel(bytes, { progress: (...told) => here.push(told) })).dispose();
    const there: number[][] = [];
    const model = await tril.loadModel(bytes, { progress: (...told) => there.push(told) });
    expect(there).toEqual(here);
    expect(there.length).toBeGreaterThan(10);
    await model.dispose();

    await withoutLeak(async () => {
      const stop = new AbortController();
      let told = 0;
      const progress = () => {
        if (++told === 3) stop.abort('enough');
      };
      const loading = tril.loadModel(bytes, { progress, signal: stop.signal });
      await expect(loading).rejects.toBe('enough');
      expect(told).toBe(3);
      const outer = tril.withSignal(AbortSignal.abort('before'));
      await expect(outer.loadModel(bytes)).rejects.toBe('before');
      const failing = { progress: () => expect.unreachable('told') };
      await expect(tril.loadModel(bytes, failing)).rejects.toThrow('told');
    });
  });

  it('goes on with a text as here, token by token, while others have their turn', async () => {
    const here = await local.loadModel(trained);
    const model = await tril.loadModel(trained);
    const options = { maxTokens: 40, topP: 0.9, seed: 3, stop: ['never'] };
    type Drawn = Omit<GeneratedPart, 'milliseconds'>;
    const expected: Drawn[] = [];
    for await (const { milliseconds, ...part } of here.generate('the', options)) {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      expected.push(part);
    }
    here.dispose();
    await withoutLeak(async () => {
      const parts: Drawn[] = [];
      for await (const { milliseconds, ...part } of model.generate('the', options)) {
        expect(milliseconds).toBeGreaterThanOrEqual(0);
        parts.push(part);
        if (parts.length === 5) expect(await model.decode(await model.encode('ä'))).toBe('ä');
      }
      expect(parts).toEqual(expected);
      // A loop that ends early leaves nothing behind.
      for await (const part of model.generate('the')) if (part.text !== '') break;
      const stop = new AbortController();
      const drawn: string[] = [];
      const run = async () => {
        for await (const { text } of model.generate('the', { signal: stop.signal })) {
          drawn.push(text);
          if (drawn.length === 2) stop.abort('enough');
        }
      };
      await expect(run()).rejects.toBe('enough');
      expect(drawn).toHaveLength(2);
    });
    const text = model.generate('the');
    await text.next();
    await model.dispose();
    await expect(text.next()).rejects.toThrow('generate: model: has been disposed');
  });

  it('is saved, evaluated and decoded step by step as here', async () => {
    const here = await local.loadModel(trained);
    await withoutLeak(async () => {
      const model = await tril.loadModel(trained);
      expect(await model.export()).toEqual(trained);
      expect(await model.evaluate(data.slice(0, 60))).toEqual(here.evaluate(data.slice(0, 60)));
      const last = await model.forward([1, 2, 3], { last: true });
      const { logits } = here.forward([1, 2, 3], { last: true });
      expect(await last.logits.read()).toEqual(logits.read());
      await last.logits.dispose();
      const [session, own] = [await model.session({ capacity: 4 }), here.session({ capacity: 4 })];
      expect(session.capacity).toBe(4);
      for (const ids of [[1, 2], [3]]) {
        const [there, expected] = [await session.append(ids), own.append(ids)];
        expect(await there.read()).toEqual(expected.read());
        await there.dispose();
      }
      expect(await (await session.rewind(1)).length()).toBe(1);
      await expect(session.append([1, 2, 3, 4])).rejects.toThrow('more than the capacity of 4');
      await session.dispose();
      await expect(session.append([1])).rejects.toThrow('append: session: has been disposed');
      const tokenizer = await tril.tokenizer(trained);
      expect(tokenizer.size).toBe(here.config['vocab_size']);
      const text = 'the ä';
      expect(await tokenizer.encode(text)).toEqual(here.encode(text));
      const { tokens: ids, offsets } = await tokenizer.encodeWithOffsets(text);
      expect(await tokenizer.decode(ids)).toBe(text);
      expect(offsets).toHaveLength(ids.length);
      expect(await tokenizer.export()).toEqual(trained['tokenizer.json']);
      await tokenizer.dispose();
      await expect(tril.tokenizer({})).rejects.toThrow('tokenizer.json is missing');
      await model.dispose();
    });
    here.dispose();
  });

  it('is refused as here, and where the module has none', async () => {
    const refused = async (body: Promise<unknown>, message: string) => {
      const error: unknown = await body.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TrilError);
      expect((error as TrilError).message).toBe(message);
    };
    await withoutLeak(async () => {
      await refused(tril.loadModel({}), 'loadModel: files: config.json is missing');
      const part = 'model-00002-of-00003.safetensors';
      const here: unknown = await local
        .loadModel({ ...bytes, [part]: bytes[part]!.slice(0, 900) })
        .catch((reason: unknown) => reason);
      await refused(
        tril.loadModel({ ...bytes, [part]: bytes[part]!.slice(0, 900) }),
        (here as TrilError).message,
      );
      await refused(
        tril.loadModel(bytes, { signal: 3 as never }),
        'loadModel: signal: must be an AbortSignal, is 3',
      );
      const model = await tril.loadModel(bytes);
      await refused(
        model.forward([48]),
        'forward: tokens: 48 at 0 is outside the vocabulary (0..47)',
      );
      await refused(
        model.generate([]).next(),
        'generate: prompt: is empty: there must be a token to begin from',
      );
      await refused(
        model.generate([1], { signal: 3 as never }).next(),
        'generate: signal: must be an AbortSignal, is 3',
      );
      await model.dispose();
    });
    const base = await loadTril({ variant: 'simd' });
    await expect((base as typeof tril).loadModel(bytes)).rejects.toMatchObject({
      argument: 'training',
    });
    base.close();
  });
});
