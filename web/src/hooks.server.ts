// Hooks for prerendering: the core runs here, in Node, and answers the questions of each page's first figures; the page
// gets its language and text direction.
import type { Handle, ServerInit } from '@sveltejs/kit';
import { direction, language } from '$texts';
import { loadTril } from 'tril/lessons';
import { loadTril as loadTraining } from 'tril/training';
import { Cancelled, type Session } from './compute/worker/answers';
import { work } from './compute/worker/lessons';
import { loadNotebook } from './compute/worker/lessons/write';
import { made } from './compute/page/made';
import { born } from './compute/shared/training/born';
import { maskOf } from './figures/masked';
import { defaults } from './state/learn';

/** A prerendered page contains no results of sessions: work that takes long or reports progress. */
const none = {} as Session<unknown, unknown>;

/** A training up to its first progress message: its initial state. */
async function unborn(): Promise<void> {
  const { task, seed } = defaults;
  const begun = born(
    await loadTraining(),
    { task, seed },
    {
      say: (said) => (made.unborn = said),
      told: () => [],
      next: () => Promise.reject(new Cancelled()),
      turn: async () => {},
      signal: new AbortController().signal,
    },
  );
  await begun.catch((error: unknown) => {
    if (!(error instanceof Cancelled)) throw error;
  });
}

export const init: ServerInit = async () => {
  const [tril] = await Promise.all([loadTril(), loadNotebook()]);
  made.answer = (kind, ask) => work(tril, kind, ask, none) as never;
  made.mask = maskOf;
  await unborn();
};

/**
 * The fonts that every chapter begins with. Without a preload its first words, numbers and formulas would appear in
 * another font, and move; with it the fonts arrive together with the styles. Later they are loaded anyway.
 */
const first =
  /(?:stix-two-text-latin-(?:400|500)-normal|stix-two-text-latin-400-italic|inter-latin-(?:400|500|600)-normal|jetbrains-mono-latin-400-normal|KaTeX_(?:Main-Regular|Math-Italic))\b/;

const said = `<html lang="${language}" dir="${direction}"`;

export const handle: Handle = ({ event, resolve }) =>
  resolve(event, {
    preload: ({ type, path }) => type === 'js' || type === 'css' || first.test(path),
    transformPageChunk: ({ html }) => html.replace('<html lang="en"', said),
  });
