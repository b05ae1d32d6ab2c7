// The shipped models, run by the program.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { report, tril } from './program.js';

const folder = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

it('the GPT goes on with a text, the same for the same seed', () => {
  const say = (seed: string) =>
    tril('generate', '--model', folder('gpt'), '--prompt', 'Fellow-Citizens', '--max-tokens', '20', '--seed', seed); // prettier-ignore
  const { code, out, error } = say('1');
  expect({ code }, error).toEqual({ code: 0 });
  expect(out).toMatch(/^Fellow-Citizens[^]{20}/);
  expect(say('1').out).toBe(out);
  expect(say('2').out).not.toBe(out);
});

it('the vectors know which words are near', () => {
  const file = folder('vectors/vectors.safetensors');
  const near = (word: string) =>
    report('vectors', '--vectors', file, '--similar', word, '--count', '20').map(
      (each: { word: string }) => each.word,
    );
  expect(near('bank')).toContain('banks');
  expect(near('army')).toContain('navy');
});
