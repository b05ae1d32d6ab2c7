// The Worker of the chapters "Multiply" and "Average": loads the package once, answers in order.
import { loadTril, TrilError, type Tril } from 'tril';
import { answer } from './lessons';
import type { FromLessons, Question } from './lesson-protocol';
import type { Failure } from './protocol';

function say(message: FromLessons): void {
  self.postMessage(message);
}

function explained(error: unknown): Failure {
  if (error instanceof TrilError) {
    return { message: error.message, call: error.call, argument: error.argument };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

async function load(): Promise<Tril | null> {
  const begin = performance.now();
  try {
    const tril = await loadTril();
    const milliseconds = performance.now() - begin;
    say({ kind: 'loaded', loaded: { variant: tril.variant, milliseconds } });
    return tril;
  } catch (error) {
    say({ kind: 'notLoaded', failure: explained(error) });
    return null;
  }
}

const loading = load();

self.addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  const tril = await loading;
  if (!tril) return;
  const { id, kind, ask } = data;
  try {
    say({ kind: 'answer', id, answer: answer(tril, kind, ask) });
  } catch (error) {
    say({ kind: 'failed', id, failure: explained(error) });
  }
});
