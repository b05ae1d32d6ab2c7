// What the types of a loaded module promise is there, and nothing else: in modules with and without training, here and
// in a Worker.
import { join } from 'node:path';
import { loadTril, TrilError } from 'tril';
import { loadTril as loadRemote } from 'tril/worker';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril } from './helpers.js';
import { tril as trained } from './trained.js';

const dist = join(import.meta.dirname, '..', '..', 'wasm', 'dist');
const paths = ['load.d.ts', 'public-training.d.ts', 'worker/types.d.ts'].map((file) =>
  join(dist, file),
);
const program = ts.createProgram(paths, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  types: [],
  strict: true,
});

/** The names of an exported interface, in the alphabet's order. */
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
/** All calls of an object by their names, those of parts such as `mask` too. */
const callsOf = (object: object): [string, Call][] =>
  Object.entries(object).flatMap(([name, value]): [string, Call][] => {
    if (typeof value === 'function') return [[name, value as Call]];
    return typeof value === 'object' && value !== null ? callsOf(value as object) : [];
  });
const missing = (error: unknown): boolean =>
  error instanceof TrilError && error.argument === 'training';

describe('the type of a module', () => {
  it.each([
    ['Tril', tril],
    ['TrainingTril', trained],
  ])('%s has the names of the module', (name, module) => {
    const names = Object.keys(module).sort();
    expect(names.length).toBeGreaterThan(100);
    expect(namesOf(name)).toEqual(names);
  });

  it.each([
    ['RemoteTril', false],
    ['RemoteTrainingTril', true],
  ])('%s has the names of the Worker', async (name, training) => {
    const remote = await loadRemote({ variant: 'simd', training });
    expect(namesOf(name)).toEqual(Object.keys(remote).sort());
    remote.close();
  });
});

describe('a module without training', () => {
  const only = namesOf('TrainingTril').filter((name) => !namesOf('Tril').includes(name));

  it('has no call that works only in one with training', async () => {
    const own = await loadTril({ variant: 'simd' });
    const x = own.randomNormal([2, 2], { seed: 1 });
    for (const [name, call] of callsOf(own)) {
      if (name === 'runPeak') continue; // takes its time
      for (const values of [[], [x], [x, x], [x, x, x], [x, x, x, x]]) {
        try {
          await call(...values);
        } catch (error) {
          expect(missing(error), `${name}: ${String(error)}`).toBe(false);
        }
      }
    }
  });

  it.each(only)('says where %s is, to who is not told by types', (name) => {
    const call = Reflect.get(tril, name) as Call;
    const problem =
      'is not in the module that was loaded; loadTril of "tril/training" loads one with it';
    expectRefused(call, { call: name, argument: 'training', says: problem });
    expect(Object.keys(tril)).not.toContain(name);
  });

  it('says so in a Worker, too', async () => {
    const remote = await loadRemote({ variant: 'simd' });
    for (const name of only) {
      const refused = (Reflect.get(remote, name) as Call)();
      const problem = 'is not in the module that was loaded; the option training loads one with it';
      await expect(refused).rejects.toEqual(new TrilError(name, 'training', problem));
    }
    const { run } = (Reflect.get(remote, 'trainer') as Call)({}) as { run: Call };
    const reports = run({ steps: 1 }) as AsyncIterable<unknown>;
    await expect(reports[Symbol.asyncIterator]().next()).rejects.toSatisfy(missing);
    expect((await (await remote.zeros([1])).read())[0]).toBe(0);
    remote.close();
  });
});
