// Turns the examples in the package's doc comments into modules that check their stated results, and the examples in
// all documents into modules that compile.
//
// An example in a doc comment is a block of TypeScript after @example. In it a comment after a statement states the
// result: a value, whose numbers are exact, or rounded if they have four decimals; or "throws", with the beginning of
// the error. `tril` is a loaded module.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Example {
  /** The name of the call, as users write it: `mask.causal`, `Tensor.read`, `worker.loadTril`. */
  readonly name: string;
  readonly code: string;
  /** Whether the example needs a module of tril/lessons; other examples get one of tril/training. */
  readonly lessons: boolean;
}

const root = join(import.meta.dirname, '..', '..');
const source = join(root, 'wasm', 'src');

/** The folders in which the calls of all files belong to the folder's name. */
const folderOwners = ['graph', 'notebook'];
/** The files whose calls need a module of tril/lessons. */
const lessonFiles = ['lessons', 'online-attention', 'singular-values', 'softmax-steps'].map(
  (name) => `calls/${name}.ts`,
);
/** The owner of the calls in a file. */
const owners: Record<string, string> = {
  'calls/cost.ts': 'cost.',
  'calls/cost-attention.ts': 'cost.',
  'calls/mask.ts': 'mask.',
  'calls/rates.ts': 'cost.',
  'tensor.ts': 'Tensor.',
  'tokenizer.ts': 'Tokenizer.',
  'model.ts': 'Model.',
  'encoder.ts': 'Encoder.',
  'loaded-model.ts': 'LoadedModel.',
  'decoding-session.ts': 'DecodingSession.',
  'key-value-cache.ts': 'KeyValueCache.',
  'trained-model.ts': 'TrainedModel.',
  'learner.ts': 'Learner.',
  'owned.ts': 'OwnedObject.',
  'sequence-trainer.ts': 'SequenceTrainer.',
  'word-vectors.ts': 'WordVectors.',
  'trainer.ts': 'Trainer.',
  'lessons.ts': 'lessons.',
  'training.ts': 'training.',
  'worker/index.ts': 'worker.',
  'worker/learner.ts': 'RemoteLearner.',
  'worker/model.ts': 'RemoteModel.',
  'worker/types.ts': 'worker.',
  'worker/word-vectors.ts': 'RemoteWordVectors.',
};

export function readExamples(): Example[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).flatMap(examplesOf);
}

function examplesOf(file: string): Example[] {
  const text = readFileSync(join(source, file), 'utf8');
  // A comment, and the name of the documented item.
  const comments =
    /\/\*\*((?:(?!\*\/).)*@example.*?)\*\/\s+(?:export |async |override |function |\*)*(\[?[\w.]+)/gsu;
  return [...text.matchAll(comments)].map(([, comment, name]) => {
    const plain = comment!.replace(/^ *\* ?/gmu, '');
    const [, code] = /@example\n```ts\n(.*?)\n```/su.exec(plain) ?? [];
    if (code === undefined) throw new Error(`${file}: the example of ${name} is no block of ts`);
    const path = file.replaceAll('\\', '/');
    const folder = folderOwners.find((each) => path.startsWith(`${each}/`));
    const owner = folder ? `${folder}.` : (owners[path] ?? '');
    return { name: `${owner}${name}`, code, lessons: lessonFiles.includes(path) };
  });
}

/** A module whose default export runs the example and calls `check` and `throws` for its stated results. */
export function moduleOf({ code, lessons }: Example): string {
  const lines = code.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  const checked = lines
    .filter((line) => !isImport(line))
    .map((line) => {
      const [, statement, comment] = /^(\S.*); \/\/ (.*)$/u.exec(line) ?? [];
      if (!statement || !comment || /^(?:const|let|using) /u.test(statement)) return line;
      const [, message] = /^throws TrilError: (.*)$/u.exec(comment) ?? [];
      if (message) return `await throws(async () => ${statement}, ${JSON.stringify(message)});`;
      return `check(${statement}, ${comment}, ${JSON.stringify(comment)});`;
    });
  return [
    lessons
      ? "import type { LessonsTril as Tril } from 'tril/lessons';"
      : "import type { TrainingTril as Tril } from 'tril/training';",
    "import type { Check, Throws } from '../../tests/wasm/examples.js';",
    ...lines.filter(isImport),
    'export default async (tril: Tril, check: Check, throws: Throws): Promise<void> => {',
    'void [tril, check, throws];',
    '{', // so that the example may define its own `tril`
    ...checked,
    '}};',
  ].join('\n');
}

export type Check = (actual: unknown, expected: unknown, shown: string) => void;
export type Throws = (body: () => Promise<unknown>, message: string) => Promise<void>;

/** Whether a value equals the one that a comment shows. */
export function isShown(actual: unknown, expected: unknown, shown: string): boolean {
  const distance = /\.\d{4}\b/u.test(shown) ? 0.5e-4 : 0;
  const same = (a: unknown, b: unknown): boolean => {
    if (typeof a === 'number' && typeof b === 'number') {
      return Object.is(a, b) || a === b || Math.abs(a - b) <= distance;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
    if (a.constructor !== b.constructor) return false;
    const [left, right] = [Object.entries(a), Object.entries(b)];
    return (
      left.length === right.length &&
      left.every(([key, value], i) => key === right[i]![0] && same(value, right[i]![1]))
    );
  };
  return same(actual, expected);
}

/** The file name of an example's module. */
export const fileOf = ({ name }: Example): string => `${basename(name)}.ts`;

/** The folders of documents. */
const folders = ['.', 'core', 'docs', 'models', 'native/bench', 'wasm', 'wasm/bench'];

export interface Document {
  readonly path: string;
  readonly text: string;
}

export const readDocuments = (): Document[] =>
  folders
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)))
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Names that examples in documents use without defining them. */
const readers = [
  'declare const files: import("tril/training").ModelSource;',
  'declare const text: string;',
  'declare const signal: AbortSignal;',
  'declare const draw: (...values: unknown[]) => void;',
  'declare const show: (...values: unknown[]) => void;',
].join(' ');

/**
 * The JavaScript and TypeScript blocks of a document as one module, with each line at its own line number. A block sees
 * the names of earlier blocks, and may define them again; a bundler's settings, which are exported, may appear once.
 */
export function moduleOfDocument({ text }: Document): string {
  let inside = false;
  let depth = 0;
  const lines = text.split('\n').map((line) => {
    if (!inside) {
      inside = /^```(?:js|ts)$/u.test(line);
      if (!inside) return '';
      depth += 1;
      return '{';
    }
    inside = line !== '```';
    return inside
      ? line
          .replace(/^import (.*) from ('.*');/u, 'const $1 = await import($2);')
          .replace(/^export default /u, 'void ')
      : '';
  });
  return `${readers} ${lines.join('\n')}${'}'.repeat(depth)}\nexport {};\n`;
}
