// A closed module: its threads end, and every later call says that it is closed.
import { Worker } from 'node:worker_threads';
import { loadTril } from 'tril';
import { loadTril as loadTraining } from 'tril/training';
import { describe, expect, it, vi } from 'vitest';

const closed = (call: string) => `${call}: tril: has been closed`;

describe('close', () => {
  it('ends the threads', async () => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate');
    const tril = await loadTril({ variant: 'simd-threads', threads: 3 });
    const x = tril.randomNormal([64, 64], { seed: 1 });
    tril.matmul(x, x);
    expect(terminate).not.toHaveBeenCalled();
    tril.close();
    expect(terminate).toHaveBeenCalledTimes(2);
    for (const { value } of terminate.mock.results) {
      expect(await value).toBeTypeOf('number'); // the exit code
    }
    tril.close();
    expect(terminate).toHaveBeenCalledTimes(2);
    expect(() => tril.matmul(x, x)).toThrow(closed('matmul'));
    terminate.mockRestore();
  });

  it('leaves nothing that can be called, and other modules as they are', async () => {
    const [tril, other] = [await loadTraining({ variant: 'simd' }), await loadTril()];
    const x = tril.tensor([[1, 2]]);
    const cache = tril.keyValueCache({ width: 2, capacity: 4 });
    const model = { layers: 1, heads: 1, width: 8, context: 4 };
    const trainer = tril.trainer({ model, data: 'abcd'.repeat(30) });
    const files = trainer.export();
    const loaded = await tril.loadModel(files);
    const vectors = tril.wordVectors({ data: 'the cat sat on the mat. '.repeat(20), width: 8 });
    const text = loaded.generate('a');
    await text.next();
    expect(() => x.view(() => tril.close())).toThrow('close: view: a view is lent');
    tril.scope(() => {
      tril.zeros([3]);
      tril.close();
    });
    const calls: Record<string, () => unknown> = {
      zeros: () => tril.zeros([2]),
      matmul: () => tril.matmul(x, x),
      memory: () => tril.memory(),
      workingMemory: () => tril.workingMemory(),
      scope: () => tril.scope(() => {}),
      read: () => x.read(),
      write: () => x.write([[3, 4]]),
      view: () => x.view(() => {}),
      length: () => cache.length,
      rewind: () => cache.rewind(0),
      trainer: () => tril.trainer({ model }),
      step: () => trainer.step(),
      sample: () => trainer.sample(),
      save: () => trainer.save(),
      forward: () => loaded.forward([1]),
      encode: () => loaded.encode('a'),
      wordVectors: () => tril.wordVectors({ data: 'a' }),
      similar: () => vectors.similar('cat'),
      transformerBlock: () => tril.transformerBlock(x, {} as never, { heads: 1 }),
    };
    for (const [call, body] of Object.entries(calls)) expect(body, call).toThrow(closed(call));
    await expect(tril.loadModel(files)).rejects.toThrow(closed('loadModel'));
    await expect(text.next()).rejects.toThrow(closed('generate'));
    // Objects of a closed module can still be disposed.
    for (const each of [x, cache, trainer, loaded, vectors]) each.dispose();
    expect([x, cache, trainer, loaded, vectors].every(({ disposed }) => disposed)).toBe(true);
    expect(x.shape).toEqual([1, 2]);
    expect(tril.variant).toBe('simd');
    expect(other.tensor([[1, 2]]).toArray()).toEqual([[1, 2]]);
  });
});
