// The package in Node: as an ES module, with `require`, and from TypeScript.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, inject, it } from 'vitest';
import { allOutput, call } from './call.js';
import { expected } from './expected.js';

const project = inject('project');

/** The output of a script of the project, on both streams. */
const node = (...args: string[]) => allOutput(project, process.execPath, ...args);

it.each([1, 2])('runs as an ES module, in a Worker with %i threads', async (threads) => {
  expect(JSON.parse(await node('print.js', String(threads)))).toEqual(expected(threads));
});

it('gives its .wasm files by name', async () => {
  const script = `
    import { loadTril } from 'tril';
    const wasmUrl = import.meta.resolve('tril/tril-simd.wasm');
    const tril = await loadTril({ variant: 'simd', wasmUrl });
    console.log(String(tril.zeros([2, 3])));`;
  expect(await node('--input-type=module', '-e', script)).toBe('Tensor [2, 3]\n');
});

it('is there for require, where Node can', async () => {
  const script = "require('tril').loadTril().then((tril) => console.log(tril.threads));";
  expect(await node('--no-warnings', '--input-type=commonjs', '-e', script)).toBe('1\n');
});

it('reads a model from a folder, here and in a Worker', async () => {
  const folder = fileURLToPath(new URL('../golden/models/qwen2', import.meta.url));
  const script = `
    import { loadTril } from 'tril/training';
    import { loadTril as loadRemote } from 'tril/worker';
    const here = await loadTril({ variant: 'simd' });
    const there = await loadRemote({ variant: 'simd', training: true });
    for (const tril of [here, there]) {
      const model = await tril.loadModel(process.argv[2]);
      console.log(model.config.model_type, model.parameters.count > 0);
    }
    there.close();`;
  writeFileSync(join(project, 'folder.mjs'), script); // a Worker takes no --input-type
  expect(await node('folder.mjs', folder)).toBe('qwen2 true\nqwen2 true\n');
});

it('says why a number is what it is', async () => {
  const script = `
    import { loadTril } from 'tril';
    import { graph, run, why } from 'tril/graph';
    const tril = await loadTril({ variant: 'simd' });
    const made = graph({ a: [1, 2], b: [2, 1] }, ({ a, b }, { matmul }) => ({ c: matmul(a, b) }));
    const values = run(tril, made, { a: tril.tensor([[1, 2]]), b: tril.tensor([[3], [4]]) });
    console.log(why(made, values, 'c', [0, 0]).text);`;
  const text = await node('--input-type=module', '-e', script);
  expect(text).toBe('c[0, 0] = 1 * 3 + 2 * 4 = 11\n');
});

it('runs a program of Python', async () => {
  const script = `
    import { loadTril } from 'tril';
    import { runProgram } from 'tril/notebook';
    const tril = await loadTril({ variant: 'simd' });
    console.log(runProgram(tril, 'import numpy as np\\nprint(np.arange(6).reshape(2, 3) @ np.ones(3))').printed);`;
  const text = await node('--input-type=module', '-e', script);
  expect(text).toBe('[ 3. 12.]\n\n');
});

it('has a command that judges programs', async () => {
  const program = `import torch
def softmax(z):
    return torch.softmax(z, dim=-1)`;
  writeFileSync(join(project, 'softmax.py'), program);
  const said = await allOutput(
    project,
    'npx',
    '--no-install',
    'tril',
    'check-notebook',
    'softmax.py',
  );
  expect(said).toBe('softmax.py: softmax: Right, to 7 digits, in 4 cases.\n');
});

it('says what to do when its module cannot be loaded', async () => {
  writeFileSync(join(project, 'page.wasm'), '<!doctype html>');
  const script = `
    import { loadTril } from 'tril';
    const wasmUrl = new URL('page.wasm', 'file://${project}/');
    await loadTril({ variant: 'simd', wasmUrl }).catch((error) => console.log(error.message));`;
  const message = await node('--input-type=module', '-e', script);
  expect(message).toMatch(/^loadTril: wasmUrl: .*page\.wasm could not be loaded: .*magic word/);
  expect(message).toContain('"Where it runs"');
  const readme = readFileSync(join(project, 'node_modules', 'tril', 'README.md'), 'utf8');
  expect(readme).toContain('## Where it runs\n');
});

describe('TypeScript', () => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'ES2022',
  };
  const bundler = { module: 'ESNext', moduleResolution: 'Bundler', types: [], noEmit: true };
  // Node's types, and no browser's.
  const typeRoots = [
    join(createRequire(import.meta.url).resolve('@types/node/package.json'), '../..'),
  ];
  const ways = {
    bundler,
    node16: { module: 'Node16', lib: ['ES2022'], typeRoots, types: ['node'], outDir: 'compiled' },
    nodenext: { module: 'NodeNext', types: [], noEmit: true },
  };

  it.each(Object.entries(ways))('takes the types with %s', async (way, options) => {
    const file = join(project, `tsconfig.${way}.json`);
    const settings = { compilerOptions: { ...strict, ...options }, files: ['use.ts'] };
    writeFileSync(file, JSON.stringify(settings));
    expect(await call(project, 'tsc', '--project', file)).toBe('');
  });

  it('compiles to what runs, with `using`', async () => {
    const lines = (await node('compiled/use.js')).trim().split('\n');
    expect(lines).toEqual([
      '[ 1, 0 ]',
      '3 3',
      'true true',
      'softmax: axes: unknown option "axes"; did you mean "axis"?',
    ]);
  });

  it('shows what every call does', () => {
    const interfaces = {
      Tril: 'load.d.ts',
      LessonsTril: 'public-lessons.d.ts',
      TrainingTril: 'public-training.d.ts',
      RemoteTril: 'worker/types.d.ts',
      RemoteTrainingTril: 'worker/types.d.ts',
    };
    const pathOf = (file: string) => join(project, 'node_modules', 'tril', 'dist', file);
    const files = Object.values(interfaces).map(pathOf);
    const program = ts.createProgram(files, { target: ts.ScriptTarget.ES2022 });
    const checker = program.getTypeChecker();
    const undocumented = Object.entries(interfaces).flatMap(([name, path]) => {
      const file = program.getSourceFile(pathOf(path));
      const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file!)!);
      const type = checker.getDeclaredTypeOfSymbol(exported.find((each) => each.name === name)!);
      return undocumentedIn(checker, type, name);
    });
    expect(undocumented).toEqual([]);
  });
});

/** The names of the properties, and of those of `mask` and `cost`, without a doc comment. */
function undocumentedIn(checker: ts.TypeChecker, type: ts.Type, path: string): string[] {
  const properties = type.getProperties();
  expect(properties.length, path).toBeGreaterThan(3);
  return properties.flatMap((property) => {
    const name = `${path}.${property.name}`;
    const missing = property.getDocumentationComment(checker).length === 0 ? [name] : [];
    if (!['mask', 'cost'].includes(property.name)) return missing;
    return [...missing, ...undocumentedIn(checker, checker.getTypeOfSymbol(property), name)];
  });
}
