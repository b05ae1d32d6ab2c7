import { loadTril, variants } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

describe.each(variants)('a view in variant %s', (variant) => {
  it('is lent for the callback and taken back', async () => {
    const module = await loadTril({ variant });
    using tensor = module.tensor([1, 2, 3]);
    let kept: Float32Array | undefined;
    const sum = tensor.view((values) => {
      kept = values;
      expect(values).toBeInstanceOf(Float32Array);
      expect([...values]).toEqual([1, 2, 3]);
      return values.reduce((a, b) => a + b, 0);
    });
    expect(sum).toBe(6);
    expect(kept).toHaveLength(0);
    expect(kept![0]).toBeUndefined();
    expect([...tensor.read()]).toEqual([1, 2, 3]);
  });

  it('is taken back when the callback throws', async () => {
    const module = await loadTril({ variant });
    using tensor = module.tensor([1]);
    let kept: Float32Array | undefined;
    const body = () =>
      tensor.view((values) => {
        kept = values;
        throw new RangeError('mine');
      });
    expect(body).toThrow(RangeError);
    expect(kept).toHaveLength(0);
    expect([...module.tensor([4]).read()]).toEqual([4]);
  });
});

describe('view', () => {
  it('is no copy', () => {
    withoutLeak(() => {
      const tensor = tril.zeros([16]);
      const { heapBytes } = tril.memory();
      tensor.view((values) => expect(values.buffer.byteLength).toBe(heapBytes));
    });
  });

  it('may lie inside another', () => {
    withoutLeak(() => {
      const a = tril.tensor([1, 2]);
      const b = tril.tensor([3, 4]);
      const product = a.view((x) => {
        const inner = b.view((y) => x[0]! * y[0]!);
        return inner + x[1]!;
      });
      expect(product).toBe(5);
    });
  });

  it('lets nothing grow the memory while it is lent', () => {
    withoutLeak(() => {
      const tensor = tril.tensor([1, 2]);
      tensor.view((values) => {
        const says = 'a view is lent';
        const big = 2 ** 24;
        const grow = () => tril.zeros([big]);
        expect(grow).toThrow(`zeros: view: ${says}`);
        expect(() => tril.tensor([1])).toThrow(`tensor: view: ${says}`);
        expect(() => tensor.dispose()).toThrow(`dispose: view: ${says}`);
        expect(() => tril.scope(() => 0)).toThrow(`scope: view: ${says}`);
        expect([...values]).toEqual([1, 2]);
        // Reading needs no memory of the module.
        expect([...tensor.read()]).toEqual([1, 2]);
      });
      expect(tensor.disposed).toBe(false);
    });
  });

  it('sees the numbers after the memory has grown', async () => {
    const module = await loadTril({ variant: 'simd' });
    const tensor = module.tensor([1, 2]);
    const { heapBytes } = module.memory();
    const big = module.zeros([heapBytes]);
    expect(module.memory().heapBytes).toBeGreaterThan(heapBytes);
    expect(tensor.view((values) => [...values])).toEqual([1, 2]);
    expect([...tensor.read()]).toEqual([1, 2]);
    expect(big.size).toBe(heapBytes);
  });

  it('refuses an asynchronous callback', () => {
    withoutLeak(() => {
      const out = tril.tensor([1, 2]);
      expectRefused(() => out.view(async (values) => values[0]), {
        call: 'view',
        argument: 'callback',
        says: 'is asynchronous',
        out,
      });
    });
  });
});
