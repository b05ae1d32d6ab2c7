// While pages are made: the core runs here, in Node, and answers what their first figures ask; and the page says its
// language, and which way it is read.
import type { Handle, ServerInit } from '@sveltejs/kit';
import { read } from '$app/server';
import { direction, language } from '$texts';
import { loadTril, type Tril } from 'tril';
import { urls } from './chapters/check/golden';
import type { Session } from './compute/answers';
import { work } from './compute/lessons';
import type { ProofResult } from './compute/lessons/check';
import { exampleIds } from './compute/lessons/golden';
import { made } from './compute/made';

/** Of work that takes long or says something on the way, nothing is on a page before it is alive. */
const none = {} as Session<unknown, unknown>;

async function proofs(tril: Tril): Promise<typeof made.proofs> {
  const entries = exampleIds.map(async (id) => {
    const expected = await read(urls[id]).arrayBuffer();
    return [id, (await work(tril, 'proof', { id, expected }, none)) as ProofResult] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

export const init: ServerInit = async () => {
  const tril = await loadTril();
  made.answer = (kind, ask) => work(tril, kind, ask, none) as never;
  made.proofs = await proofs(tril);
};

/**
 * What every chapter begins with. Without these its first words, numbers and formulas would be seen in another type before,
 * and move: fetched with the styles they are there when these are. Later they are fetched anyway.
 */
const first =
  /(?:stix-two-text-latin-(?:400|500)-normal|stix-two-text-latin-400-italic|inter-latin-(?:400|500|600)-normal|jetbrains-mono-latin-400-normal|KaTeX_(?:Main-Regular|Math-Italic))\b/;

const said = `<html lang="${language}" dir="${direction}"`;

export const handle: Handle = ({ event, resolve }) =>
  resolve(event, {
    preload: ({ type, path }) => type === 'js' || type === 'css' || first.test(path),
    transformPageChunk: ({ html }) => html.replace('<html lang="en"', said),
  });
