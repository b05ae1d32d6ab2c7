import { inText } from '../../figures/format';
import { questionsOf } from '../../shell/question';
import type { MeaningState } from '../../state/meaning';
import { depths, loadSenses } from './model';
import { seenSenses } from './seen';
import text from '$texts/meaning-senses.yaml';

const words = text.ask;

/** The layer at which the senses are furthest apart, answered by the encoder's results for these very sentences. */
export const layerQuestion = questionsOf<MeaningState>()({
  ...{ veil: 'meaning-layers', once: true, waiting: words.waiting },
  found({ state }) {
    const differences = seenSenses(state)?.separation.map((one) =>
      one ? one.within - one.across : null,
    );
    const known = differences?.length && differences.every((one) => one !== null);
    const numbers = known ? (differences as number[]) : null;
    const best = numbers ? numbers.indexOf(Math.max(...numbers)) : -1;
    function says(layer: number): string {
      if (!numbers) return '';
      const said = { best, widest: inText(numbers[best]), first: inText(numbers[0]) };
      if (layer === best) return words.right(said);
      if (layer === 0) return words.embedded(said);
      return words.wrong({ ...said, layer, here: inText(numbers[layer]) });
    }
    return {
      question: words.question,
      options: Array.from({ length: depths }, (_, layer) => ({
        id: String(layer),
        name: words.layer({ layer }),
        says: says(layer),
      })),
      right: numbers && [String(best)],
      choose: () => numbers || loadSenses(state),
    };
  },
});
