// Decoding step by step: a session gives the logits of a single call, in whatever steps the tokens come.
import type { DecodingSession } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { expectRefused as refuse } from './helpers.js';
import { farthest, filesOf, tokens, tril, values, withModel } from './golden-models.js';

const refused = (body: () => unknown, call: string, argument: string, says: string) =>
  refuse(body, { call, argument, says }, tril);

describe('a session', () => {
  it.each(['gpt2', 'llama', 'qwen2'])('gives the logits after the last token: %s', (name) =>
    withModel(filesOf(name), (model) => {
      tril.scope(() => {
        const rows = model.forward(tokens).logits.toArray<number[][]>();
        const session = model.session();
        const append = (count: number) => {
          const { length } = session;
          const logits = session.append(tokens.slice(length, length + count));
          expect(logits.shape).toEqual([48]);
          expect(session.length).toBe(length + count);
          expect(farthest(values(logits), rows[length + count - 1]!)).toBeLessThan(1e-4);
          return values(logits);
        };
        for (const count of [1, 5, 1, 1, 10]) append(count);
        const first = append(1);
        expect(session.rewind(18)).toBe(session);
        expect(append(1)).toEqual(first);
        session.rewind(0);
        append(24);
      });
    }),
  );

  it('draws what generate draws', () =>
    withModel(filesOf('llama'), async (model) => {
      const greedy: number[] = [];
      const options = { maxTokens: 8, temperature: 0 };
      for await (const { token } of model.generate([1, 2], options)) greedy.push(token!);
      using session = model.session({ capacity: 9 });
      let [next, drawn]: [number[], number[]] = [[1, 2], []];
      while (drawn.length < 8) {
        const token = tril.scope(() => tril.argmax(session.append(next)).read()[0]!);
        drawn = [...drawn, token];
        next = [token];
      }
      expect(drawn).toEqual(greedy);
    }));

  it('belongs to its scope, and ends with its model', async () => {
    const before = tril.memory();
    const model = await tril.loadModel(filesOf('llama'));
    let inner: DecodingSession | undefined;
    const { bytes } = tril.memory();
    const kept = tril.scope(() => {
      inner = model.session();
      return model.session({ capacity: 4 });
    });
    expect([inner!.disposed, kept.disposed]).toEqual([true, false]);
    expect(tril.memory().bytes).toBeGreaterThan(bytes);
    expect(String(kept)).toBe('DecodingSession of 4 tokens');
    const other = model.session({ capacity: 4 });
    other.dispose();
    expect(other.disposed).toBe(true);
    model.dispose();
    expect(kept.disposed).toBe(true);
    expect(tril.memory()).toEqual(before);
    refused(() => kept.append([1]), 'append', 'session', 'has been disposed');
    refused(() => kept.length, 'length', 'session', 'has been disposed');
    refused(() => model.session(), 'session', 'model', 'has been disposed');
  });

  it('refuses what it cannot take, and stays as it was', () =>
    withModel(filesOf('llama'), (model) => {
      const session = model.session({ capacity: 3 });
      session.append([1, 2]).dispose();
      const append = (ids: unknown) => () => session.append(ids as number[]);
      refused(append([3, 4]), 'append', 'tokens', '2 after 2 are more than the capacity of 3');
      refused(append([]), 'append', 'tokens', 'there are none');
      refused(append([48]), 'append', 'tokens', '48 at 0 is outside the vocabulary (0..47)');
      refused(append([[1], [2]]), 'append', 'tokens', 'must be one list, [T]');
      refused(append('ab'), 'append', 'tokens', 'must be an array');
      const rewind = (length: unknown) => () => session.rewind(length as number);
      refused(rewind(3), 'rewind', 'length', 'must be from 0 to the 2 tokens');
      refused(rewind(-1), 'rewind', 'length', 'at least 0');
      refused(rewind(undefined), 'rewind', 'length', 'whole number');
      expect(session.length).toBe(2);
      session.append([3]).dispose();
      session.dispose();
      const made = (options: object) => () => model.session(options);
      refused(made({ capacity: 0 }), 'session', 'capacity', 'at least 1');
      refused(made({ capacity: 1e6 }), 'session', 'capacity', 'but the context is');
      refused(made({ size: 3 }), 'session', 'size', 'unknown option');
    }));
});
