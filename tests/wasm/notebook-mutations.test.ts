// Programs with words removed, doubled, swapped or replaced: whatever they have become, they end, with a value or one
// of Python's errors.
import { runProgram } from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { expectWorking, tril, withoutLeak } from './helpers.js';
import { readGoldens } from './notebook-programs.js';

function dice(seed: number): (n: number) => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const strange = [
  '0',
  '-1',
  '1e9',
  'None',
  'x',
  '(',
  ')',
  '[',
  ':',
  ',',
  '=',
  '@',
  '**',
  '...',
  'np',
  "'",
  '"""',
  'for',
  'in',
  'self',
  '\n',
  '    ',
  '1000',
];

const kindOf = (word: string): number =>
  /^\d/u.test(word) ? 0 : /^\w/u.test(word) ? 1 : /^\s/u.test(word) ? 2 : 3;

function mutated(code: string, seed: number): string {
  const roll = dice(seed);
  const words = code.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  for (let times = 1 + roll(3); times > 0; --times) {
    const a = roll(words.length);
    // Mostly a word of the same kind, so that the grammar still accepts it.
    const alike = words.flatMap((word, i) => (kindOf(word) === kindOf(words[a]!) ? [i] : []));
    const b = roll(4) > 0 ? alike[roll(alike.length)]! : roll(words.length);
    const kind = roll(8);
    if (kind === 0) words.splice(a, 1);
    else if (kind === 1) words.splice(a, 0, words[b]!);
    else if (kind === 2) [words[a], words[b]] = [words[b]!, words[a]!];
    else if (kind > 3) words[a] = words[b]!;
    else words[a] = strange[roll(strange.length)]!;
  }
  return words.join('');
}

const kinds = /^(?:[A-Z]\w*Error|StopIteration|Exception|Wrong)$/u;
const limits = { steps: 20_000, elements: 1_000_000 };

describe('mutated programs', () => {
  const goldens = readGoldens();
  const parts = [...Array(8).keys()];
  it.each(parts)('end: part %i', { timeout: 120_000 }, (part) => {
    for (const [i, { name, code }] of goldens.entries()) {
      if (i % parts.length !== part) continue;
      for (let seed = 0; seed < 10; ++seed) {
        const changed = mutated(code, 1000 * i + seed);
        withoutLeak(() => {
          const { error, tensors, values } = runProgram(tril, changed, { limits });
          const shown = `${name} ${seed}\n${changed}`;
          if (error) {
            expect(error.kind, shown).toMatch(kinds);
            expect(error.line, shown).toBeGreaterThan(0);
          }
          for (const { node } of Object.values(values))
            if (node) expect(tensors[node], shown).toBeDefined();
        });
      }
    }
    expectWorking();
  });
});
