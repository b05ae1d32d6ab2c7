// A loaded module has exactly the members of its types: modules with lessons, with training and without either, here
// and in a Worker.
import { join } from 'node:path';
import { loadTril, TrilError } from 'tril';
import { loadTril as loadRemote } from 'tril/worker';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril } from './helpers.js';
import { tril as explained } from './explained.js';
import { tril as trained } from './trained.js';

const dist = join(import.meta.dirname, '..', '..', 'wasm', 'dist');
const declared = ['load.d.ts', 'public-lessons.d.ts', 'public-training.d.ts', 'worker/types.d.ts'];
const paths = declared.map((file) => join(dist, file));
const program = ts.createProgram(paths, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  types: [],
  strict: true,
});

/** The names in an exported interface, in alphabetical order. */
function namesOf(name: string): string[] {
  const checker = program.getTypeChecker();
  const exported = paths.flatMap((path) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!),
  );
  const symbol = exported.find((each) => each.getName() === name)!;
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .map((each) => each.getName())
    .sort();
}

type Call = (...values: unknown[]) => unknown;
/** All calls of an object by name, with those of parts such as `mask`. */
const callsOf = (object: object): [string, Call][] =>
  Object.entries(object).flatMap(([name, value]): [string, Call][] => {
    if (typeof value === 'function') return [[name, value as Call]];
    return typeof value === 'object' && value !== null ? callsOf(value as object) : [];
  });
const missing = (error: unknown): boolean =>
  error instanceof TrilError && ['lessons', 'training'].includes(error.argument);

describe('the type of a module', () => {
  it.each([
    ['Tril', tril],
    ['LessonsTril', explained],
    ['TrainingTril', trained],
  ])('%s has the names of the module', (name, module) => {
    const names = Object.keys(module).sort();
    expect(names.length).toBeGreaterThan(90);
    expect(namesOf(name)).toEqual(names);
  });

  it.each([
    ['RemoteTril', {}],
    ['RemoteLessonsTril', { lessons: true }],
    ['RemoteTrainingTril', { training: true }],
  ])('%s has the names of the Worker', async (name, part) => {
    const remote = await loadRemote({ variant: 'simd', ...part });
    expect(namesOf(name)).toEqual(Object.keys(remote).sort());
    remote.close();
  });
});

describe.each([
  ['lessons', 'LessonsTril'],
  ['training', 'TrainingTril'],
])('a module without %s', (part, type) => {
  const only = namesOf(type).filter((name) => !namesOf('Tril').includes(name));

  it.each(only)('says where %s is, to who is not told by types', (name) => {
    const call = Reflect.get(tril, name) as Call;
    const problem = `is not in the module that was loaded; loadTril of "tril/${part}" loads one with it`;
    expectRefused(call, { call: name, argument: part, says: problem });
    expect(Object.keys(tril)).not.toContain(name);
  });

  it('says so in a Worker, too', async () => {
    const remote = await loadRemote({ variant: 'simd' });
    for (const name of only) {
      const refused = (Reflect.get(remote, name) as Call)();
      const problem = `is not in the module that was loaded; the option ${part} loads one with it`;
      await expect(refused).rejects.toEqual(new TrilError(name, part, problem));
    }
    remote.close();
  });
});

it('a module without either has no call that works only in one of them', async () => {
  const own = await loadTril({ variant: 'simd' });
  const x = own.randomNormal([2, 2], { seed: 1 });
  for (const [name, call] of callsOf(own)) {
    for (const values of [[], [x], [x, x], [x, x, x], [x, x, x, x]]) {
      try {
        await call(...values);
      } catch (error) {
        expect(missing(error), `${name}: ${String(error)}`).toBe(false);
      }
    }
  }
});

it('modules with one of them say where the other is', () => {
  const refused = (module: object, name: string) => Reflect.get(module, name) as Call;
  expect(refused(trained, 'readProduct')).toThrow('"tril/lessons"');
  expect(refused(explained, 'trainer')).toThrow('"tril/training"');
});

it("Eigen's product is in modules with lessons", () => {
  const x = tril.zeros([2, 2]);
  const problem =
    '"eigen" is not in the module that was loaded; loadTril of "tril/lessons" loads one with it';
  // @ts-expect-error: types say so, too.
  expectRefused(() => tril.matmul(x, x, { method: 'eigen' }), {
    ...{ call: 'matmul', argument: 'method', says: problem },
  });
  x.dispose();
});

it('a trainer of a Worker without training refuses to run', async () => {
  const remote = await loadRemote({ variant: 'simd' });
  const { run } = (Reflect.get(remote, 'trainer') as Call)({}) as { run: Call };
  const reports = run({ steps: 1 }) as AsyncIterable<unknown>;
  await expect(reports[Symbol.asyncIterator]().next()).rejects.toSatisfy(missing);
  expect((await (await remote.zeros([1])).read())[0]).toBe(0);
  remote.close();
});

it('a Worker has one of both', async () => {
  const both = loadRemote({ variant: 'simd', lessons: true, training: true });
  const problem = 'does not go with training';
  await expect(both).rejects.toEqual(new TrilError('loadTril', 'lessons', problem));
});
