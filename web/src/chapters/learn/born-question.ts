// The outcome of the training that is about to run, answered by its own numbers.
import { training } from '../../compute/page/training/born.svelte';
import { inText } from '../../figures/format';
import { meet } from '../../figures/met.svelte';
import { questionsOf } from '../../shell/question';
import type { LearnState } from '../../state/learn';
import { best, birthOf, fallOf, headName, scoreOf } from './born';
import text from '$texts/learn-born.yaml';

const words = text.ask;
/** Maximum number of steps between two events that count as simultaneous. */
const together = 16;

/** The right guess with its reply, and the replies to all others; null while nothing is trained. */
function foundOf(task: LearnState['task']): Readonly<Record<string, string>> | null {
  const { frames, answer: end, asked } = training;
  const last = end && asked?.task === task ? frames.at(-1) : undefined;
  if (!last) return null;
  if (task === 'fixed') {
    const others = last.others ?? 0;
    const said = { loss: inText(last.loss), others: inText(others) };
    const right = others > training.about!.ignorant / 2 ? 'no' : 'yes';
    const { wrong } = words.fixed;
    return { right, answer: words.fixed.answer(said), yes: wrong.yes(said), no: wrong.no(said) };
  }
  const birth = birthOf(frames, scoreOf(task));
  if (task === 'previous') {
    const head = last.scores.findIndex(({ previous }) => previous === best(last, 'previous'));
    const said = { name: headName(head), score: inText(best(last, 'previous')) };
    const { wrong } = words.previous;
    const others = { first: wrong.first(said), second: wrong.second(said) };
    const right = head < 2 ? 'first' : 'second';
    return { right, answer: words.previous.answer(said), ...others };
  }
  const fall = fallOf(frames);
  const { answer, unborn, wrong } = words.induction;
  if (birth === null || fall === null) return { right: 'never', answer: unborn };
  const apart = fall - birth;
  const right = Math.abs(apart) <= together ? 'with' : apart < 0 ? 'before' : 'after';
  const said = { birth, fall, right };
  const ids = ['before', 'with', 'after', 'never'] as const;
  return {
    ...{ right, answer: answer(said) },
    ...Object.fromEntries(ids.map((id) => [id, wrong[id](said)])),
  };
}

export const bornQuestion = questionsOf<LearnState>()({
  ...{ once: true, waiting: words.waiting },
  found({ state: { task } }) {
    const found = foundOf(task);
    const says = (id: string) =>
      found ? ((id === found.right ? found.answer : found[id]) ?? found.answer) : '';
    return {
      question: words[task].question,
      options: Object.entries<string>(words[task].options).map(([id, name]) => ({
        ...{ id, name },
        says: says(id),
      })),
      right: found && [found.right],
      choose: () => training.fresh && training.start(meet('born')),
    };
  },
});
