import { presets } from '../../compute/shared/meaning/presets';
import { words } from '../../compute/page/meaning/words.svelte';
import { inText } from '../../figures/format';
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import type { MeaningState } from '../../state/meaning';
import { loadWords, wordsQuery } from './model';
import text from '$texts/meaning-analogies.yaml';

const said = text.ask;

/** Whether the arithmetic of words finds the word that an English speaker would expect. */
export const analogyQuestion = questionsOf<MeaningState>()({
  ...{ veil: 'meaning-analogies', waiting: said.waiting },
  found({ state, turn }) {
    /** The analogies whose words all have a vector. */
    const able = presets.filter((_, i) => words.view?.analogies[i] !== null);
    const asked = able[(4 + turn) % able.length] ?? presets[0];
    const [a, b, c] = asked.ask;
    const answers = words.view?.analogies[presets.indexOf(asked)];
    const place = answers?.findIndex(({ word }) => word === asked.expected) ?? -1;
    const right = place === 0 ? 'first' : place > 0 ? 'later' : 'no';
    return {
      question: said.question({ a, b, c, word: asked.expected }),
      options: guesses(['first', 'later', 'no'], said.options, (id) => {
        if (!answers) return '';
        const [{ word: found, cosine }] = answers;
        const known = { found, cosine: inText(cosine), word: asked.expected, place: place + 1 };
        return id === right ? said.right[id](known) : said.wrong[right](known);
      }),
      right: answers ? [right] : null,
      choose: () => loadWords(wordsQuery(state)),
    };
  },
});
