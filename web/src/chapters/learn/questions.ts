// The questions of the chapter that the core answers.
import { inText } from '../../figures/format';
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import type { LearnState } from '../../state/learn';
import text from '$texts/learn.yaml';

/** The effect of a step on the loss, found by taking it. */
export const step = questionsOf<LearnState>()({
  cases: [
    { rate: 30, steps: 1 },
    { rate: 1, steps: 1 },
    { rate: 30, steps: 2 },
    { rate: 10, steps: 4 },
  ],
  asks: ({ given }) => [['step', given]],
  found({ model, given }, { losses }) {
    const words = text.ask;
    const [before, now] = [losses[0], losses.at(-1)!];
    const said = { before: inText(before), now: inText(now) };
    const right = now > before ? 'rises' : 'falls';
    return {
      question: words.question(given),
      options: guesses(['falls', 'rises'], words.options, (id) =>
        id === right ? words.right(said) : words.wrong[id](said),
      ),
      right: [right],
      see: () => model.change(given),
    };
  },
});
