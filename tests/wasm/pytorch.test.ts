// "Coming from PyTorch", pair by pair: the Python and the JavaScript give the same. Without PyTorch on this machine
// only the JavaScript runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';

const text = readFileSync(new URL('../../wasm/PYTORCH.md', import.meta.url), 'utf8');
const pairs = [...text.matchAll(/```python\n(.*?)```\n\n(?:(?!```).)*?```js\n(.*?)```/gsu)].map(
  ([, python, script]) => [python!.trimEnd(), script!.trimEnd()] as const,
);
const [[pythonFirst, scriptFirst], ...compared] = pairs as [(typeof pairs)[0], ...typeof pairs];

/** Runs each program after the common beginning, and prints the values of their last lines. */
const runner = `
import json, math, sys
first, programs = json.load(sys.stdin)
names = {}
exec(first, names)
F, torch = names["F"], names["torch"]
# As PyTorch 2 has them, by the definitions in its documentation.
if not hasattr(F, "rms_norm"):
    F.rms_norm = lambda x, shape, eps: x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
if not hasattr(F, "scaled_dot_product_attention"):
    def attention(q, k, v, attn_mask=None, is_causal=False):
        seen = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool)
        if is_causal: seen = seen.tril()
        if attn_mask is not None: seen = attn_mask
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        return torch.softmax(scores.masked_fill(~seen, float("-inf")), dim=-1) @ v
    F.scaled_dot_product_attention = attention
found = []
for body, last in programs:
    exec(body, names)
    found.append(eval(last, names))
print(json.dumps(found))
`;

function runPython(python: string): unknown[] {
  const programs = compared.map(([program]) => /^((?:.*\n)?)(.*)$/su.exec(program)!.slice(1));
  const { stdout, stderr } = spawnSync(python, ['-c', runner], {
    input: JSON.stringify([pythonFirst, programs]),
    encoding: 'utf8',
  });
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout) as unknown[];
}

/** The document's programs as one module, which prints the values of their last lines. */
function runScripts(): unknown[] {
  const blocks = compared.map(([, script]) => {
    const statements = script.split(/(?<=;)\n(?=\S)/u);
    const last = statements.pop();
    return `found.push((() => {\n${statements.join('\n')}\nreturn ${last}\n})());`;
  });
  const folder = new URL('../../build/readme/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const lines = [
    scriptFirst,
    'const found = [];',
    ...blocks,
    'console.log(JSON.stringify(found));',
  ];
  writeFileSync(new URL('pytorch.mjs', folder), lines.join('\n'));
  const printed = execFileSync(process.execPath, ['pytorch.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(printed) as unknown[];
}

const flat = (nested: unknown): number[] => [nested].flat(Infinity) as number[];

test('each pair gives the same', { timeout: 120_000 }, () => {
  expect(compared.length).toBeGreaterThan(10);
  const found = runScripts().map(flat);
  expect(found.length).toBe(compared.length);
  const python = findPythonWith('torch');
  const expected = python ? runPython(python).map(flat) : found;
  for (const [i, values] of found.entries()) {
    const about = compared[i]!.join('\n');
    expect(values.length, about).toBe(expected[i]!.length);
    const size = Math.max(1, ...values.map(Math.abs));
    for (const [j, value] of values.entries()) {
      expect(Math.abs(value - expected[i]![j]!), about).toBeLessThanOrEqual(1e-5 * size);
    }
  }
});
