// The Worker of the chapters' lessons: loads the package once, answers in order.
import { answer } from './lessons';
import type { FromLessons, Question } from './lesson-protocol';
import { explained, loadAndSay } from './loading';

function say(message: FromLessons): void {
  self.postMessage(message);
}

const loading = loadAndSay(say);

self.addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  const tril = await loading;
  if (!tril) return;
  const { id, kind, ask } = data;
  try {
    say({ kind: 'answer', id, answer: await answer(tril, kind, ask) });
  } catch (error) {
    say({ kind: 'failed', id, failure: explained(error) });
  }
});
