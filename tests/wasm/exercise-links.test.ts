// A teacher's exercises: written as programs, checked, and carried by links, which may be forged.
import {
  checkExercise,
  exerciseLink,
  readExercise,
  readExerciseLink,
  runExercise,
  type WrittenExercise,
} from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const exercise: WrittenExercise = {
  ...{ id: 'window', title: 'A window', task: 'Row t is the mean of the rows t - 1 and t of x.' },
  ...{ name: 'window', parameters: ['x', 'n'], hints: ['Shift x by one row.'] },
  skeleton: 'import numpy as np\ndef window(x, n):\n    pass\n',
  program: `import numpy as np
def window(x, n):
    before = np.concatenate([x[:1], x[:-1]])
    total = x + before
    return total / n`,
  cases: [
    { name: '3 rows', inputs: { x: { shape: [3, 2] } }, numbers: { n: 2 } },
    { name: 'one row', inputs: { x: { shape: [1, 4], scale: 3 } }, numbers: { n: 2 } },
  ],
};

describe('an exercise that is a program', () => {
  it('is judged by what its program computes', () => {
    withoutLeak(() => {
      const code = (last: string) =>
        `def window(x, n):\n    T = len(x)\n    total = [x[max(t - 1, 0)] + x[t] for t in range(T)]\n    return ${last}`;
      const judge = (last: string) =>
        checkExercise(tril, exercise, `import numpy as np\n${code(last)}`);
      expect(judge('np.stack(total) / n').message).toBe('Right, to 7 digits, in 2 cases.');
      expect(judge('np.stack(total) / 3')).toMatchObject({
        ...{ kind: 'different', line: 5, departure: { line: 5, place: [0, 0] } },
      });
      expect(judge('x[:1]').message).toContain('must have the shape [3, 2], has [1, 2]');
      expect(judge('3').message).toBe('window must return an array, and returns int.');
      expect(checkExercise(tril, exercise, exercise.skeleton).kind).toBe('missing');
      expect(runExercise(tril, exercise, exercise.program).tensors['x']!.shape).toEqual([3, 2]);
    });
  });

  it.each([
    [
      'def window(x, n):\n    return y',
      "stops: line 2: NameError: name 'y' is not defined (3 rows)",
    ],
    ['x = 1', 'has no function window'],
    ['def window(x, n):\n    return 3', 'returns no array, nor several'],
    ['def window(x, n):\n    while True: pass', 'TimeoutError'],
  ])('says what is wrong with its own: %j', (program, says) => {
    expectRefused(
      () =>
        checkExercise(tril, { ...exercise, program }, exercise.program, {
          limits: { steps: 1000 },
        }),
      { call: 'checkExercise', argument: 'exercise', says },
    );
  });
});

describe('a link', () => {
  it('holds the exercise', async () => {
    const link = await exerciseLink(exercise, 'https://example.org/write');
    expect(link).toMatch(/^https:\/\/example\.org\/write#\?made=[\w-]+$/u);
    expect(await readExerciseLink(link)).toEqual(exercise);
    const more = link.replace('#?', '#?code=abc&');
    expect(await readExerciseLink(`${more}&own=x`)).toEqual(exercise);
    expect(await exerciseLink(await readExerciseLink(link))).toBe(link.replace(/^[^#]*/u, ''));
    expect(readExercise(JSON.stringify(exercise))).toEqual(exercise);
  });

  const refused = async (made: Promise<unknown>, argument: string, says: string | RegExp) => {
    const error: unknown = await made.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expectRefused(
      () => {
        throw error;
      },
      { call: (error as { call: string }).call, argument, says },
    );
  };

  it('that is broken, hostile or none is refused with a sentence', async () => {
    const link = await exerciseLink(exercise);
    await refused(readExerciseLink(3 as never), 'link', 'must be a string, is 3');
    await refused(readExerciseLink('#?code=abc'), 'link', 'holds no exercise');
    await refused(readExerciseLink('#?made='), 'link', 'holds no exercise');
    await refused(readExerciseLink('#?made=AAAA'), 'link', 'it is broken');
    await refused(readExerciseLink(link.slice(0, -30)), 'link', 'it is broken');
    await refused(readExerciseLink(`#?made=${'a'.repeat(12_001)}`), 'link', '12,001 characters');
    // A megabyte of spaces compresses to a thousand letters.
    const blanks = new Blob([' '.repeat(1e6)]).stream();
    const bytes = await new Response(
      blanks.pipeThrough(new CompressionStream('deflate-raw')),
    ).arrayBuffer();
    const letters = Buffer.from(bytes).toString('base64url');
    await refused(readExerciseLink(`#?made=${letters}`), 'link', 'broken or too large');
    let state = 5;
    const next = (below: number) => (state = (state * 48271) % 2147483647) % below;
    const random = () => String.fromCharCode(33 + next(90));
    const noise = Array.from({ length: 18_000 }, random).join('');
    const large = { ...exercise, program: noise };
    await refused(exerciseLink(large), 'exercise', /takes [\d,]+ characters of a link/u);
  });

  const { cases } = exercise;
  const withInput = (input: object) => [{ ...cases[0], inputs: { x: input } }];
  it.each([
    ['title', { title: '' }, 'must be a string of 1 to 100 characters, is ""'],
    ['task', { task: 'x'.repeat(2001) }, 'must be a string of 1 to 2000 characters'],
    ['program', { program: 3 }, 'must be a string of 1 to 20000 characters, is 3'],
    ['hints', { hints: ['a', 'b', 'c', 'd'] }, 'must be a list of up to 3 texts'],
    ['name', { name: 'os.system' }, 'must be a name of letters, digits and _'],
    ['parameters', { parameters: ['x', 'x'] }, 'must be 1 to 8 different names'],
    ['parameters', { parameters: ['__x'] }, 'must be 1 to 8 different names'],
    ['cases', { cases: [] }, 'must be a list of 1 to 8'],
    ['cases[0]', { cases: [3] }, 'must be an object with a name and inputs, is 3'],
    ['cases[0]', { cases: [{ ...cases[0], numbers: {} }] }, 'must have n among its inputs'],
    ['cases[0].numbers.n', { cases: [{ ...cases[0], numbers: { n: '2' } }] }, 'must be a number'],
    ['cases[0].inputs.x.shape', { cases: withInput({ shape: [1e9] }) }, 'integers from 1 to 64'],
    ['cases[0].inputs.x.shape', { cases: withInput({ shape: [64, 64, 64] }) }, '4096 numbers'],
    ['cases[0].inputs.x.scale', { cases: withInput({ shape: [2], scale: -1 }) }, 'above 0'],
    ['cases[0].inputs.x.ones', { cases: withInput({ shape: [2, 3], ones: [4] }) }, '2 integers'],
    ['cases[0].inputs.x.shape', { cases: withInput({ shape: [2], causal: true }) }, 'two axes'],
    ['size', { cases: withInput({ shape: [2], size: 1 }) }, 'unknown field'],
    ['mistakes', { mistakes: [] }, 'unknown field'],
  ])('refuses %s: %j', async (argument, change, says) => {
    const wrong = { ...exercise, ...change };
    expectRefused(() => readExercise(JSON.stringify(wrong)), {
      ...{ call: 'readExercise', argument, says },
    });
    await refused(exerciseLink(wrong as never), argument, says);
  });

  it('refuses what is no JSON, and what is too much of it', () => {
    const refuse = (json: unknown, says: string) =>
      expectRefused(() => readExercise(json as string), {
        ...{ call: 'readExercise', argument: 'json', says },
      });
    refuse(3, 'must be a string, is 3');
    refuse('{', 'is not JSON');
    refuse(' '.repeat(60_001), '60,001 characters');
    expectRefused(() => readExercise('[]'), {
      ...{ call: 'readExercise', argument: 'exercise', says: 'must be an object, is an array' },
    });
  });
});
