import { megabytes } from '../../figures/local';
import { wordsOf } from '../../figures/segments';
import made from '$meaning';
import { bank } from '../../../../models/meaning.mjs';
import type { Shipped } from '../../compute/worker/fetched';
import { opening } from '../../compute/shared/meaning/presets';
import type {
  Analogy,
  Direction,
  SensesQuery,
  SentencesQuery,
  WordsQuery,
  WordsView,
} from '../../compute/shared/meaning/protocol';
import { senses } from '../../compute/page/meaning/senses.svelte';
import { words } from '../../compute/page/meaning/words.svelte';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { rootHref } from '../../shell/links';
import { decode, encode, type MeaningState } from '../../state/meaning';

export const provideModel = () => openChapter<MeaningState>({ encode, decode });
export const useModel = () => useChapter<MeaningState>();

/** Files by their names in models/. */
export const shipped = (name: string): Shipped => ({
  address: new URL(rootHref(`models/${name}`), location.href).href,
  bytes: made.sizes[name],
});
/** Total size in MB of files that are loaded together. */
export const sizeOf = (...names: string[]) =>
  `${megabytes(names.reduce((sum, name) => sum + made.sizes[name], 0))} MB`;

export const vectorsFile = 'vectors/vectors.safetensors';
export const shareFile = 'speeches.txt';
const encoderFiles = ['config.json', 'tokenizer.json', 'model.safetensors'];

/**
 * Words in the form in which vectors are learned: lower case letter by letter, so that the end of a Greek word is no
 * other letter.
 */
export const listOf = (typed: string): string[] =>
  wordsOf(Array.from(typed, (letter) => letter.toLowerCase()).join('')).map((word) =>
    word.replaceAll('’', "'"),
  );

function directionOf(typed: string): Direction | null {
  const [to, from] = listOf(typed);
  return to && from && to !== from ? [to, from] : null;
}

/** An analogy of three words; null for fewer. */
export function analogyOf(typed: string): Analogy | null {
  const [a, b, c] = listOf(typed);
  return c ? [a, b, c] : null;
}

export function wordsQuery(state: MeaningState): WordsQuery {
  const [across, up] = [directionOf(state.across), directionOf(state.up)];
  const typed = analogyOf(state.analogy);
  return {
    word: state.word.trim().toLowerCase(),
    beside: listOf(state.beside).slice(0, 4),
    axes: state.axes === 'words' && across && up ? [across, up] : null,
    analogies: typed ? [...opening.analogies, typed] : opening.analogies,
  };
}

export const sensesQuery = (state: MeaningState): SensesQuery => ({
  word: state.of.trim(),
  cues: [listOf(state.first), listOf(state.second)],
  sentence: state.sentence,
});

/** Maximum number of sentences on a map. */
const mostSentences = 24;
export const sentencesQuery = ({ sentences, pick }: MeaningState): SentencesQuery => ({
  sentences: sentences
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, mostSentences),
  pick,
});

/** The view of the words: from the Worker, or prerendered; null if the prerendered one belongs to another query. */
export function viewOf(query: WordsQuery): WordsView | null {
  if (words.view) return words.view;
  const { word, beside, axes } = made.view.query;
  const same = JSON.stringify([word, beside, axes]);
  return JSON.stringify([query.word, query.beside, query.axes]) === same ? made.view : null;
}

/** Loads all words, if none are there. */
export function loadWords(query: WordsQuery): void {
  if (words.state !== 'none' && words.state !== 'failed') return;
  words.begin({ source: 'all', seed: 1, file: shipped(vectorsFile), query });
}

/** Names of the senses. */
export function senseNames(state: MeaningState, of: Readonly<Record<string, string>>) {
  const usual = bank.cues.every((cues, i) => cues.join(' ') === [state.first, state.second][i]);
  return usual ? [of.river, of.money] : [of.one, of.two];
}

/** The number of depths: the embedding, and each layer of the encoder; 0 without an encoder. */
export const depths = made.layers === null ? 0 : made.layers + 1;
const encoderNames = encoderFiles.map((name) => `encoder/${name}`);
export const sensesSize = () => sizeOf(...encoderNames, shareFile);

/** Loads the encoder and the speeches, if they are not there. */
export function loadSenses(state: MeaningState): void {
  if (!made.years || depths === 0) return;
  const files = encoderFiles.map((name) => [name, shipped(`encoder/${name}`)] as const);
  senses.begin({
    files: Object.fromEntries(files),
    text: shipped(shareFile),
    query: sensesQuery(state),
  });
}
