// Models in GGUF files, as the program runs them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasStories, smallLlama, storiesFile, story } from '../wasm/gguf.js';
import { failure, report, tril } from './program.js';

const made = mkdtempSync(join(tmpdir(), 'tril-gguf-'));
afterAll(() => rmSync(made, { recursive: true }));
const written = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(made, name), bytes);
  return join(made, name);
};
const greedy = ['--temperature', '0', '--max-tokens'];

describe('a GGUF file', () => {
  const { folder, file, values, tensors } = smallLlama();
  const path = join(made, 'folder');
  mkdirSync(path);
  for (const [name, bytes] of Object.entries(folder)) written(`folder/${name}`, bytes);

  it('is the same model as its folder', () => {
    const small = written('small.gguf', file());
    const said = (model: string) => {
      const { tokens, text } = report('generate', '--model', model, '--prompt', 'the thaw', ...greedy, '20'); // prettier-ignore
      return { tokens, text };
    };
    expect(said(small)).toEqual(said(path));
    const look = ['look', '--prompt', 'the thaw', '--json', '--model'];
    expect(tril(...look, small).out.replaceAll(small, path)).toBe(tril(...look, path).out);
  });

  it('may have blocks of q8_0', () => {
    const blocks = written('q8.gguf', file('Q8_0'));
    const { weights } = report('generate', '--model', blocks, '--prompt', 'the', ...greedy, '2');
    expect(weights).toBeDefined();
  });

  it('is refused in one line where it is wrong', () => {
    const bytes = file();
    const refused = (name: string, wrong: Uint8Array) =>
      failure('generate', '--model', written(name, wrong), '--prompt', 'a');
    expect(refused('text.gguf', Buffer.from('no model'))).toMatch(/text\.gguf: is no GGUF file/);
    expect(refused('short.gguf', bytes.subarray(0, 300))).toMatch(/short\.gguf: byte \d+: /);
    expect(refused('cut.gguf', bytes.subarray(0, -64))).toMatch(
      /cut\.gguf: tensor "blk\.1\.ffn_down\.weight": \d+ bytes at offset \d+ of the data do not fit/,
    );
    const other = Buffer.from(bytes);
    other.write('mamba', other.indexOf('llama'));
    expect(refused('other.gguf', other)).toMatch(/unknown architecture "mamba"/);
    expect(values['llama.block_count'].u32 * 9 + 3).toBe(tensors.length);
  });
});

// The test is skipped without the file: tests/wasm/gguf.ts says where it belongs.
describe.skipIf(!hasStories)('stories260K', () => {
  const told = (kind: 'F32' | 'Q8_0') => {
    const path = written(`stories-${kind}.gguf`, storiesFile(kind));
    const { text } = report('generate', '--model', path, '--prompt', '', ...greedy, '256');
    return (text as string).trimStart();
  };
  it('tells the published story, word for word', () => {
    const text = told('F32');
    expect(text.startsWith(story.begin)).toBe(true);
    expect(text.endsWith(story.end)).toBe(true);
  });

  it('tells a story of the same beginning in blocks of q8_0', () => {
    expect(told('Q8_0').startsWith(story.begin)).toBe(true);
  });
});
