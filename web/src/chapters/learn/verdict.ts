// The verdict on a finished training: no more than its pictures show.
import type { Frame } from '../../compute/shared/training/protocol';
import type { TaskId } from '../../compute/shared/training/tasks';
import { inText } from '../../figures/format';
import { best, birthOf, headName, scoreOf, type Score } from './born';
import text from '$texts/learn-born.yaml';

const words = text.verdicts;

/** The head with the largest score, and that score in percent. */
function leading(frame: Frame, score: Score) {
  const most = best(frame, score);
  const head = frame.scores.findIndex((one) => one[score] === most);
  return { name: headName(head), percent: Math.round(100 * most) };
}

export function verdictOf(task: TaskId, frames: readonly Frame[], ignorant: number): string {
  const last = frames.at(-1)!;
  const step = birthOf(frames, scoreOf(task)) ?? 0;
  const [previous, copy] = [leading(last, 'previous'), leading(last, 'copy')];
  const [loss, others] = [inText(last.loss), inText(last.others ?? 0)];
  if (task === 'previous') {
    return step > 0 ? words.previous({ step, loss, ...previous }) : words.unborn({ loss });
  }
  if (task === 'fixed') {
    return step > 0
      ? words.fixedBorn({ step, loss, others, ...copy })
      : words.fixed({ loss, others, percent: copy.percent });
  }
  if (step === 0) return words.unborn({ loss });
  const born = words.induction({
    ...{ step, loss, before: previous.name, previous: previous.percent },
    ...{ after: copy.name, copy: copy.percent },
  });
  const known = (last.others ?? 0) < ignorant / 2;
  return `${born} ${(known ? words.letters : words.places)({ others })}`;
}
