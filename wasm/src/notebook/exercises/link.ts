// An exercise in a link, for teachers to share: JSON, deflated, in URL-safe base64.
import { TrilError } from '../../error.js';
import { describe } from '../../names.js';
import type { WrittenExercise } from './exercise.js';
import { checkExerciseFields } from './written.js';

/** Maximum characters of the exercise in a link, and maximum bytes of its JSON. */
const most = { packed: 12_000, json: 60_000 };

const inWords = (size: number) => size.toLocaleString('en');

const piped = (bytes: BlobPart, through: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough(through as ReadableWritablePair<Uint8Array, Uint8Array>);

async function packed(text: string): Promise<string> {
  const bytes = await new Response(piped(text, new CompressionStream('deflate-raw'))).arrayBuffer();
  let letters = '';
  for (const byte of new Uint8Array(bytes)) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** The unpacked text, up to the maximum size; null where there is none. */
async function unpacked(letters: string): Promise<string | null> {
  try {
    const plain = atob(letters.replace(/-/g, '+').replace(/_/g, '/'));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    const reader = piped(bytes, new DecompressionStream('deflate-raw')).getReader();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let [text, size] = ['', 0];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.length;
      if (size > most.json) {
        await reader.cancel();
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return null;
  }
}

/** The fields of an exercise, in a fixed order, so that equal exercises have equal links. */
const fieldsOf = ({
  title,
  task,
  skeleton,
  hints,
  name,
  parameters,
  cases,
  program,
}: WrittenExercise) => ({ title, task, skeleton, hints, name, parameters, cases, program });

/** @throws `broken` for text that is not JSON; TrilError for JSON that is not an exercise */
function exerciseOf(call: string, json: string, broken: TrilError): WrittenExercise {
  let found: unknown;
  try {
    found = JSON.parse(json);
  } catch {
    throw broken;
  }
  return checkExerciseFields(call, found);
}

/**
 * Reads an exercise from JSON: `title`, `task`, `skeleton`, up to three `hints`, the `name` of the function and its `parameters`,
 * `cases` with the shapes of their inputs, and `program`, the right program. Its id is the function's name.
 *
 * @throws TrilError for any other text, and for fields that are missing, unknown or too large
 *
 * @example
 * ```ts
 * import { checkExercise, readExercise } from 'tril/notebook';
 *
 * const exercise = readExercise(JSON.stringify({
 *   title: 'Twice', task: 'Return x + x.', name: 'twice', parameters: ['x'],
 *   skeleton: 'def twice(x):\n    pass', hints: [],
 *   program: 'def twice(x):\n    return x + x',
 *   cases: [{ name: '2 rows', inputs: { x: { shape: [2, 3] } } }],
 * }));
 * checkExercise(tril, exercise, 'def twice(x):\n    return 2 * x').kind; // 'right'
 * readExercise('{}'); // throws TrilError: readExercise: title: must be a string of 1 to 100 characters, is undefined
 * ```
 */
export function readExercise(json: string): WrittenExercise {
  const call = 'readExercise';
  if (typeof json !== 'string') {
    throw new TrilError(call, 'json', `must be a string, is ${describe(json)}`);
  }
  if (json.length > most.json) {
    const problem = `has ${inWords(json.length)} characters; an exercise may have ${inWords(most.json)}`;
    throw new TrilError(call, 'json', problem);
  }
  return exerciseOf(call, json, new TrilError(call, 'json', 'is not JSON'));
}

/**
 * A link to chapter "Write" that holds an exercise: whoever opens it gets the skeleton, the hints and the verdict. The
 * right program is in the link, too, packed but not encrypted: a determined reader can read it.
 *
 * @param page the chapter's address (default `''`: the link's end alone)
 * @throws TrilError for a value that is not an exercise, and for one that is too large for a link
 *
 * @example
 * ```ts
 * import { exerciseLink, readExerciseLink } from 'tril/notebook';
 *
 * const exercise = {
 *   id: 'twice', title: 'Twice', task: 'Return x + x.', name: 'twice', parameters: ['x'],
 *   skeleton: 'def twice(x):\n    pass', hints: [],
 *   program: 'def twice(x):\n    return x + x',
 *   cases: [{ name: '2 rows', inputs: { x: { shape: [2, 3] } } }],
 * };
 * const link = await exerciseLink(exercise, 'https://example.org/write');
 * (await readExerciseLink(link)).title; // 'Twice'
 * await exerciseLink({ ...exercise, hints: 3 as never }); // throws TrilError: exerciseLink: hints: must be a list of up to 3 texts, is 3
 * ```
 */
export async function exerciseLink(exercise: WrittenExercise, page = ''): Promise<string> {
  const call = 'exerciseLink';
  const json = JSON.stringify(fieldsOf(checkExerciseFields(call, exercise)));
  const text = await packed(json);
  if (text.length > most.packed || new TextEncoder().encode(json).length > most.json) {
    const problem = `takes ${inWords(text.length)} characters of a link, which may have ${inWords(most.packed)}`;
    throw new TrilError(call, 'exercise', problem);
  }
  return `${page}#?made=${text}`;
}

/**
 * Reads the exercise from a link made by `exerciseLink` or the page. Nothing is fetched.
 *
 * @throws TrilError for a link that holds no exercise, a broken one, or one that is too large
 *
 * @example
 * ```ts
 * import { readExerciseLink } from 'tril/notebook';
 *
 * await readExerciseLink('https://example.org/write'); // throws TrilError: readExerciseLink: link: holds no exercise
 * ```
 */
export async function readExerciseLink(link: string): Promise<WrittenExercise> {
  const call = 'readExerciseLink';
  if (typeof link !== 'string') {
    throw new TrilError(call, 'link', `must be a string, is ${describe(link)}`);
  }
  const [, letters] = /[#?&]made=([\w-]*)(?:&|$)/.exec(link) ?? [];
  if (!letters) throw new TrilError(call, 'link', 'holds no exercise');
  if (letters.length > most.packed) {
    const problem = `has ${inWords(letters.length)} characters; an exercise in a link may have ${inWords(most.packed)}`;
    throw new TrilError(call, 'link', problem);
  }
  const text = await unpacked(letters);
  if (text === null) throw new TrilError(call, 'link', 'cannot be read: it is broken or too large');
  return exerciseOf(call, text, new TrilError(call, 'link', 'cannot be read: it is broken'));
}
