// The state of chapter "Meaning" as its address holds it: #words?word=river&axes=words&layer=2&...
import { bank } from '../../../models/meaning.mjs';
import { axes, beside, openingSenses, openingSentences } from '../compute/shared/meaning/presets';
import { choice, codecOf, text, whole, type StateOf } from './fields';

const fields = {
  word: text(bank.word, 40),
  /** Words whose neighbours are on the map as well. */
  beside: text(beside.join(' '), 120),
  axes: choice(['principal', 'words'], 'principal'),
  /** Two words for each axis: it points from the second to the first. */
  across: text(axes[0].join(' '), 80),
  up: text(axes[1].join(' '), 80),
  /** The words a, b and c of an analogy. */
  analogy: text('mexico mexican france', 120),
  seed: whole(1, 999, 1),
  /** A word in its sentences, and words that tell its senses apart. */
  of: text(bank.word, 40),
  first: text(bank.cues[0].join(' '), 400),
  second: text(bank.cues[1].join(' '), 400),
  sentence: text(openingSenses.sentence, 400),
  /** Sentences for the visitor's encoder, one per line, and the selected one, from 1. */
  sentences: text(openingSentences.join('\n'), 2000),
  pick: whole(1, 99, 1),
  /** Number of layers; the model may have fewer. */
  layer: whole(0, 99, 0),
};

export type MeaningState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
