// While pages are made: the core runs here, in Node, and answers what their first figures ask; and the page says its
// language, and which way it is read.
import type { Handle, ServerInit } from '@sveltejs/kit';
import { direction, language } from '$texts';
import { loadTril } from 'tril';
import type { Session } from './compute/answers';
import { work } from './compute/lessons';
import { made } from './compute/made';

/** Of work that takes long or says something on the way, nothing is on a page before it is alive. */
const none = {} as Session<unknown, unknown>;

export const init: ServerInit = async () => {
  const tril = await loadTril();
  made.answer = (kind, ask) => work(tril, kind, ask, none) as never;
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
