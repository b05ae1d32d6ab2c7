// Ways to take a training along: its program, its weights before and after, and a head through the complete training.
import { training } from '../../compute/page/training/born.svelte';
import type { Frame } from '../../compute/shared/training/protocol';
import { tasks } from '../../compute/shared/training/tasks';
import { headDrawn, headName } from './born';
import { beginningName, birthName, bornCode, endName } from './born-code';
import words from '$texts/learn-born.yaml';

export function footOf(head: number) {
  const { asked, about, frames, answer: end } = training;
  if (!asked || !about || frames.length === 0) return null;
  const { task, seed } = asked;
  const weights = (name: string, step: number, bytes: Uint8Array) => ({
    ...{ name, label: words.weights({ step }), bytes },
  });
  const beginning = weights(beginningName(task, seed), 0, about.beginning);
  if (!end) return { files: [beginning] };
  /** The head through the complete training. */
  async function animated(): Promise<Uint8Array> {
    const { birthPicture } = await import('./birth-picture');
    const drawn = (frame: Frame) => headDrawn(head, frame.weights[head], about!.example);
    return birthPicture({ name: headName(head), steps: tasks[task].steps, frames, drawn });
  }
  return {
    code: { pytorch: () => bornCode(task, seed, training.losses) },
    files: [
      beginning,
      weights(endName(task, seed), end.steps, end.weights),
      { name: birthName(task, seed, head), label: words.film.animated, bytes: animated },
    ],
  };
}
