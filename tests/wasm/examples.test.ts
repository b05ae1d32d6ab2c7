// Every example in the package's documentation runs, with the result that it states, and every call has an example.
// Examples in documents compile; readme.test.ts runs some of them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as package_ from 'tril';
import * as graph_ from 'tril/graph';
import { loadTril as loadLessons } from 'tril/lessons';
import * as notebook_ from 'tril/notebook';
import { KeyValueCache, Tensor, Trainer, TrilError, type Tril } from 'tril';
import { DecodingSession, Encoder, loadTril, Model, SequenceTrainer } from 'tril/training';
import { Tokenizer, WordVectors } from 'tril/training';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { fileOf, isShown, moduleOf, moduleOfDocument } from './examples.js';
import { readDocuments, readExamples, type Check, type Throws } from './examples.js';

const tril = await loadTril({ variant: 'simd' });
const explained = await loadLessons({ variant: 'simd' });
const examples = readExamples();
const folder = join(import.meta.dirname, '..', '..', 'build', 'examples');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const example of examples) writeFileSync(join(folder, fileOf(example)), moduleOf(example));
const documents = readDocuments();

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

/** TypeScript's errors in modules, given by name and written to files first. */
function problemsOf(modules: Readonly<Record<string, string>>): string[] {
  const paths = Object.entries(modules).map(([name, code]) => {
    const path = join(folder, name);
    writeFileSync(path, code);
    return path;
  });
  const found = ts.getPreEmitDiagnostics(ts.createProgram(paths, compilerOptions));
  return found.map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1;
    const says = ts.flattenDiagnosticMessageText(messageText, ' ');
    return `${basename(file?.fileName ?? '')}:${line}: ${says}`;
  });
}

const check: Check = (actual, expected, shown) => {
  if (!isShown(actual, expected, shown)) expect(actual, `// ${shown}`).toEqual(expected);
};

const throws: Throws = async (body, message) => {
  const error = await body().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TrilError);
  expect((error as TrilError).message.slice(0, message.length)).toBe(message);
};

describe('examples', () => {
  it('are there for every call', () => {
    const nameOf = ([name, value]: [string, unknown]): string[] => {
      if (typeof value === 'function') return [name];
      if (typeof value !== 'object') return [];
      return Object.entries(value as object).flatMap((part) => `${name}.${nameOf(part)[0]}`);
    };
    const calls = Object.entries({ ...tril, ...explained }).flatMap(nameOf);
    const isMethod = ([name, { value }]: [string, PropertyDescriptor]) =>
      typeof value === 'function' &&
      ![
        'constructor',
        'toString',
        'raw',
        'run',
        'tensors',
        'parts',
        'each',
        'encoded',
        'disposeParts',
        'lossOver',
        'nextBatch',
        'stepOver',
      ].includes(name);
    const TrainedModel = Object.getPrototypeOf(Trainer) as typeof Trainer; // other modules only export it as a type
    const LoadedModel = Object.getPrototypeOf(Model) as typeof Model;
    const Learner = Object.getPrototypeOf(SequenceTrainer) as typeof SequenceTrainer;
    const OwnedObject = Object.getPrototypeOf(Tokenizer) as typeof Tokenizer;
    const owners = [
      ...[Tensor, KeyValueCache, OwnedObject, Learner, TrainedModel, Trainer, SequenceTrainer],
      ...[LoadedModel, Model, Encoder, DecodingSession, Tokenizer, WordVectors],
    ];
    const methods = owners.flatMap((owner) =>
      Object.entries(Object.getOwnPropertyDescriptors(owner.prototype))
        .filter(isMethod)
        .map(([name]) => `${owner.name}.${name}`),
    );
    const functionsOf = (module: object) =>
      Object.entries(module)
        .filter(([name, value]) => typeof value === 'function' && /^[a-z]/u.test(name))
        .map(([name]) => name);
    const functions = [
      ...functionsOf(package_),
      ...functionsOf(graph_).map((name) => `graph.${name}`),
      ...functionsOf(notebook_).map((name) => `notebook.${name}`),
    ];
    const wanted = [
      ...calls,
      ...methods,
      ...functions,
      'lessons.loadTril',
      'training.loadTril',
      'worker.loadTril',
      'worker.run',
      'worker.withSignal',
      'RemoteLearner.run',
      'RemoteWordVectors.run',
      'RemoteModel.generate',
    ];
    const shown = examples.map(({ name }) => name);
    expect(shown.sort()).toEqual(wanted.sort());
  });

  it('are checked by what they say', () => {
    expect(isShown([1, 0.33334], [1, 0.3333], '[1, 0.3333]')).toBe(true);
    expect(isShown([1, 0.3334], [1, 0.3333], '[1, 0.3333]')).toBe(false);
    expect(isShown(1.00001, 1, '1')).toBe(false);
    expect(isShown({ a: 1 }, { a: 1, b: 2 }, '')).toBe(false);
    expect(isShown([1], Float32Array.of(1), '')).toBe(false);
  });

  it('compile, with the types that they show, and so do those of all documents', () => {
    const inDocuments = documents.map((each) => {
      return [`${each.path.replaceAll(/[\\/]/gu, '-')}.ts`, moduleOfDocument(each)] as const;
    });
    const inComments = examples.map((each) => [fileOf(each), moduleOf(each)] as const);
    expect(problemsOf(Object.fromEntries([...inComments, ...inDocuments]))).toEqual([]);
  });

  it('in documents are found, and told by the lines on which they stand', () => {
    const paths = documents
      .filter(({ text }) => text.includes('\n```js\n'))
      .map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', join('wasm', 'README.md')]));
    const text = 'Words.\n```js\nconst rows = [[1]];\n```\n\n```js\nrows[0].push(2);\n```\n';
    expect(problemsOf({ 'wrong.ts': moduleOfDocument({ path: '', text }) })).toEqual([
      "wrong.ts:7: Object is possibly 'undefined'.",
    ]);
  });

  it.each(examples.map((example) => [example.name, example] as const))('%s', async (_, example) => {
    const address = pathToFileURL(join(folder, fileOf(example))).href;
    type Run = (tril: Tril, check: Check, throws: Throws) => Promise<void>;
    const { default: run } = (await import(/* @vite-ignore */ address)) as { default: Run };
    await run(example.lessons ? explained : tril, check, throws);
  });
});
