// tril look: the attention weights of a model's heads, on a terminal, as numbers and as a page.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, read, readNpy, readsNpz, report, tril, trilPiped, write } from './program.js';

let model = '';
const [layers, heads] = [2, 2];
const prompt = 'the cat <b>"sat"</b>';
beforeAll(() => {
  model = mkdtempSync(join(tmpdir(), 'tril-look-'));
  write('text.txt', 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40));
  const sizes = ['--layers', '2', '--heads', '2', '--width', '16', '--context', '32'];
  const rest = ['--tokenizer', 'bytes', '--steps', '60', '--batch', '8', '--sample', '0'];
  const { code, error } = tril('train', '--data', 'text.txt', '-o', model, ...sizes, ...rest);
  expect({ code }, error).toEqual({ code: 0 });
});
afterAll(() => rmSync(model, { recursive: true }));

const look = (...more: string[]) => {
  const { code, out, error } = tril('look', '--model', model, '--prompt', prompt, ...more);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out;
};
const headOf = (layer: number, head: number): number[][] =>
  report('look', '--model', model, '--prompt', prompt, '--layer', `${layer}`, '--head', `${head}`)
    .weights;

describe('tril look', () => {
  it('says of every head where most of its weight goes', () => {
    const lines = look().split('\n');
    expect(lines[0]).toMatch(/^20 tokens, 2 layers of 2 heads\./);
    const rows = lines.filter((line) => line.startsWith('layer'));
    expect(rows).toHaveLength(layers);
    for (const [layer, row] of rows.entries()) {
      const said = [...row.matchAll(/ {2}([FPS-]) +(\d+)/g)].map(([, kind, share]) => [
        kind,
        Number(share),
      ]);
      expect(said).toHaveLength(heads);
      for (const [head, [kind, share]] of said.entries()) {
        const weights = headOf(layer, head);
        const from = weights.map((_, t) => t).slice(2); // the first two tokens cannot tell them apart
        const mean = (place: (t: number) => number) =>
          from.reduce((sum, t) => sum + weights[t]![place(t)]!, 0) / from.length;
        const shares: Record<string, number> = {
          F: mean(() => 0),
          P: mean((t) => t - 1),
          S: mean((t) => t),
        };
        shares['-'] = 1 - shares['F']! - shares['P']! - shares['S']!;
        expect(shares[kind as string]).toBe(Math.max(...Object.values(shares)));
        expect(share).toBe(Math.round(100 * shares[kind as string]!));
      }
    }
  });

  it('shows a row for each token of a head, whose numbers are the model’s', () => {
    const weights = headOf(1, 0);
    expect(weights).toHaveLength(prompt.length);
    weights.forEach((row, t) => {
      expect(row.reduce((sum, share) => sum + share)).toBeCloseTo(1, 5);
      expect(row.slice(t + 1).every((share) => share === 0)).toBe(true);
    });
    const rows = look('--layer', '1', '--head', '0')
      .split('\n')
      .filter((line) => line.includes('|'));
    expect(rows).toHaveLength(prompt.length);
    rows.forEach((line, t) => {
      const [, token, map, most] = /^ *(\S+) \|(.*)\| (\d+) % /u.exec(line)!;
      const own = prompt[t]!;
      expect(token).toBe(own === ' ' ? '·' : own === '"' ? '\\"' : own);
      const shades = weights[t]!.map((share) =>
        [0.01, 0.1, 0.3, 0.5, 0.75].filter((least) => share >= least),
      );
      expect(map).toBe(shades.map(({ length }) => ' ·░▒▓█'[length]).join(''));
      expect(Number(most)).toBe(Math.round(100 * Math.max(...weights[t]!)));
    });
  });

  it('writes the weights of all heads', () => {
    look('-o', 'weights.npy');
    const { shape, values } = readNpy('weights.npy');
    const T = prompt.length;
    expect(shape).toEqual([layers, heads, T, T]);
    for (const [layer, head] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const begin = (layer * heads + head) * T * T;
      expect([...values.subarray(begin, begin + T * T)]).toEqual(
        headOf(layer, head).flat().map(Math.fround),
      );
    }
    if (!readsNpz()) return;
    look('-o', 'all.npz');
    expect(report('info', 'all.npz').tensors).toMatchObject([
      { type: 'float32', shape: [layers, heads, T, T] },
      { type: 'int32', shape: [T], smallest: 32, largest: 't'.charCodeAt(0) },
    ]);
    expect(tril('check', 'all.npz', 'all.npz')).toMatchObject({ code: 0 });
    const same = read('all.npz');
    look('-o', 'all.npz');
    expect(read('all.npz').equals(same)).toBe(true);
  });

  it('writes a page that holds the same numbers and loads nothing', () => {
    look('--html', 'look.html');
    const page = read('look.html').toString();
    expect(page).not.toMatch(/(?:src|href)=|https?:|LOOK_DATA/);
    const [, json] = /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(page)!;
    const data = JSON.parse(json!);
    expect(data).toMatchObject({ layers, heads, tokens: [...prompt] });
    const bytes = Buffer.from(data.weights, 'base64');
    const weights = new Float32Array(new Uint8Array(bytes).buffer);
    look('-o', 'weights.npy');
    expect(weights).toEqual(readNpy('weights.npy').values);
  });

  it('reads the text from standard input, and any bytes', () => {
    const args = ['look', '--model', model, '--prompt', '-', '--layer', '0', '--head', '0'];
    const { code, out } = trilPiped(Buffer.from('a\n\xff\u001b[2J', 'latin1'), ...args);
    expect(code).toBe(0);
    expect(out.toString()).not.toContain('\u001b');
    expect(out.toString()).toContain('\\n |');
  });

  it('is refused in one line, with no file written', () => {
    const refused = (...more: string[]) => failure('look', '--model', model, ...more);
    expect(refused()).toContain('--prompt is required');
    expect(refused('--prompt', '')).toBe('--prompt: must be from 1 to the context of 32, are 0');
    expect(refused('--prompt', 'a'.repeat(33), '-o', 'no.npy')).toMatch(/^--prompt: .* are 33$/);
    expect(refused('--prompt', 'a', '--layer', '0')).toBe('--layer and --head go together');
    expect(refused('--prompt', 'a', '--layer', '2', '--head', '0')).toBe(
      '--layer: must be from 0 to 1, is 2',
    );
    expect(refused('--prompt', 'a', '--layer', '0', '--head', '2')).toBe(
      '--head: must be from 0 to 1, is 2',
    );
    expect(refused('--prompt', 'a', '--layer', '-1', '--head', '0')).toContain('must be from 0');
    expect(refused('--prompt', 'a', '-o', 'no/such/folder.npy')).toMatch(
      /^no\/such\/folder\.npy: /,
    );
    expect(failure('look', '--model', 'nothing', '--prompt', 'a')).toContain('nothing');
    expect(existsSync('no.npy')).toBe(false);
    expect(readFileSync(join(model, 'config.json')).length).toBeGreaterThan(0);
  });
});
