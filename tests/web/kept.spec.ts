// Answers that are cached by the content of their questions. The test runs in Node.
import { expect, test } from '@playwright/test';
import { isSame, Kept } from '../../web/src/compute/page/kept.ts';
import type { Outcome } from '../../web/src/compute/page/line.ts';

type Hear = (answer: string | null) => void;
const answerOf = (outcome: Outcome) => (outcome.what === 'answer' ? String(outcome.answer) : null);

/** A cache to ask: records its questions, the listener of each, and whether it was cancelled. */
function asked(most = 4) {
  const kept = new Kept(most);
  const begun: { question: unknown; hear: Hear; cancelled: boolean }[] = [];
  const heard: (string | null)[] = [];
  const ask = (question: unknown) =>
    kept.ask(
      question,
      (settle) => {
        const hear: Hear = (answer) =>
          settle(answer === null ? { what: 'cancelled' } : { what: 'answer', answer });
        const one = { question, hear, cancelled: false };
        begun.push(one);
        const cancel = () => {
          one.cancelled = true;
          hear(null);
        };
        return { tell() {}, cancel };
      },
      (outcome) => heard.push(answerOf(outcome)),
    );
  return { ask, begun, heard };
}

test('the same question is asked once, and answered to all who ask', () => {
  const { ask, begun, heard } = asked();
  const question = () => ({ graph: { nodes: [{ name: 'x' }] }, x: new Float32Array([1, 0]) });
  ask(question());
  ask(question());
  expect(begun).toHaveLength(1);
  begun[0].hear('one');
  expect(heard).toEqual(['one', 'one']);
  ask(question());
  expect(begun).toHaveLength(1);
  expect(heard).toEqual(['one', 'one', 'one']);
});

test('questions are told apart to the last bit', () => {
  const { ask, begun } = asked();
  const numbers = [0, -0, NaN, Infinity, -Infinity, null, 'NaN', 1, Math.fround(1 + 2 ** -23)];
  for (const value of numbers) ask({ value });
  for (const x of [[0], [-0], [NaN], [Infinity], [0, 0]]) ask(new Float32Array(x));
  expect(begun).toHaveLength(numbers.length + 5);
});

test('what files or buffers are in is asked each time', () => {
  const { ask, begun, heard } = asked();
  const bytes = new ArrayBuffer(4);
  for (const question of [{ bytes }, { bytes }, [new File([], 'a')], [new File([], 'b')]])
    ask(question);
  ask({ data: new Float64Array(1) });
  expect(begun).toHaveLength(5);
  begun.forEach(({ hear }, i) => hear(String(i)));
  expect(heard).toEqual(['0', '1', '2', '3', '4']);
});

test('two questions are the same where they say the same', () => {
  const question = () => ({ ids: [1, 2], off: [], x: new Float32Array([0, NaN]), mask: null });
  expect(isSame(question(), question())).toBe(true);
  const others = [{ ids: [1] }, { ids: [2, 1] }, { off: ['norm1'] }, { mask: undefined }];
  for (const other of others) expect(isSame(question(), { ...question(), ...other })).toBe(false);
  expect(isSame(question(), { ...question(), x: new Float32Array([-0, NaN]) })).toBe(false);
  expect(isSame(question(), { ...question(), more: undefined })).toBe(false);
  expect(isSame(question(), null)).toBe(false);
  // The contents of these are not compared.
  const [one, other] = [new ArrayBuffer(4), new ArrayBuffer(4)];
  expect(isSame({ bytes: one }, { bytes: one })).toBe(true);
  expect(isSame({ bytes: one }, { bytes: other })).toBe(false);
  expect(isSame([new File([], 'a')], [new File([], 'a')])).toBe(false);
});

test('what was refused is asked again; who leaves does not take it from others', () => {
  const { ask, begun, heard } = asked();
  ask(1);
  begun[0].hear(null);
  const [first, second] = [ask(1), ask(1)];
  expect(begun).toHaveLength(2);
  first.cancel();
  expect(begun[1].cancelled).toBe(false);
  second.cancel();
  second.cancel();
  expect(begun[1].cancelled).toBe(true);
  expect(heard).toEqual([null, null, null]);
  ask(1);
  expect(begun).toHaveLength(3);
});

test('those that nobody wanted for longest are forgotten', () => {
  const { ask, begun } = asked(2);
  for (const question of [1, 2, 1, 3]) {
    ask(question);
    if (begun.at(-1)!.question === question) begun.at(-1)!.hear(String(question));
  }
  ask(1);
  expect(begun).toHaveLength(3);
  ask(2);
  expect(begun).toHaveLength(4);
});
