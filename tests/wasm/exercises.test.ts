// Exercises: correct programs pass in every style, and known mistakes are named and never confused.
import type { Tensor } from 'tril';
import { edit, run, type GraphEdit } from 'tril/graph';
import {
  attentionSteps,
  checkExercise,
  countsOf,
  exercises,
  resultNodes,
  runExercise,
  type Exercise,
  type Verdict,
} from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { styles } from './exercise-programs.js';
import { numpySoftmax } from './exercise-styles.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const verdicts = new Map<unknown, Map<string, Verdict>>();

function judge(exercise: string | Exercise, code: string): Verdict {
  if (!verdicts.has(exercise)) verdicts.set(exercise, new Map());
  const known = verdicts.get(exercise)!;
  if (!known.has(code)) {
    const limits = { steps: 20_000 };
    withoutLeak(() => known.set(code, checkExercise(tril, exercise, code, { limits })));
  }
  return known.get(code)!;
}

function withMistake(code: string, parts: readonly (readonly [string, string])[]): string {
  let changed = code;
  for (const [from, to] of parts) {
    expect(changed).toContain(from);
    changed = changed.replace(from, to);
  }
  return changed;
}

const written = Object.entries(styles).flatMap(([id, all]) =>
  all.map((style, n) => ({ id, n, ...style })),
);
const wrong = written.flatMap(({ id, n, code, mistakes }) =>
  Object.entries(mistakes).map(([mistake, parts]) => ({ id, n, mistake, code, parts })),
);

describe('exercises', () => {
  it('have names, hints, cases and mistakes', () => {
    expect(exercises.map(({ id }) => id)).toEqual(Object.keys(styles));
    for (const { name, skeleton, cases, mistakes, parameters } of exercises) {
      expect(skeleton).toContain(`def ${name}(${parameters.join(', ')}):`);
      expect(cases.length).toBeGreaterThan(1);
      expect(mistakes.length).toBeGreaterThan(2);
    }
  });

  it.each(exercises)('$id: its skeleton is no solution', ({ id, skeleton }) => {
    expect(judge(id, skeleton)).toMatchObject(
      id === 'average' ? { case: /./u } : { kind: 'missing' },
    );
  });

  it.each(written)('$id, style $n: right', ({ id, code }) => {
    const verdict = judge(id, code);
    expect(verdict.message).toMatch(/^Right, to \d digits, in \d cases\.$/u);
    expect(verdict.digits).toBeGreaterThanOrEqual(5);
  });

  it.each(wrong)('$id, style $n: $mistake is named', ({ id, mistake, code, parts }) => {
    const changed = withMistake(code, parts);
    const verdict = judge(id, changed);
    expect(verdict, `${verdict.message}\n${changed}`).toMatchObject({ kind: 'mistake', mistake });
    const lines = changed.split('\n');
    expect(lines[verdict.line! - 1], verdict.message).toMatch(/=|return/u);
  });

  it('are all tried, and most by the line that was changed', { timeout: 240_000 }, () => {
    expect(wrong.length).toBeGreaterThanOrEqual(200);
    for (const { id, mistakes } of exercises) {
      const made = new Set(wrong.filter((each) => each.id === id).map(({ mistake }) => mistake));
      expect(mistakes.filter((each) => !made.has(each.id)).map((each) => each.id)).toEqual([]);
    }
    const exact = wrong.filter(({ id, code, parts }) => {
      const changed = withMistake(code, parts);
      const line = changed.split('\n')[judge(id, changed).line! - 1]!;
      return parts.some(([from, to]) => {
        const left = from.trim().split('\n')[0]!;
        return to.trim() === '' ? !line.includes(left) : line.includes(to.trim().split('\n')[0]!);
      });
    });
    expect(exact.length).toBeGreaterThan(0.7 * wrong.length);
  });
});

it('attentionSteps are right for batches of heads, and for other numbers of keys', () => {
  withoutLeak(() =>
    tril.scope(() => {
      const draw = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
      const given = { Q: draw(1, 2, 3, 5, 4), K: draw(2, 2, 3, 7, 4), V: draw(3, 2, 3, 7, 6) };
      const { Q, K, V } = given;
      const of = { name: '', inputs: given };
      const { forward, backward, mistakes } = attentionSteps;
      const apart = (x: Tensor, y: Tensor) => tril.compare(x, y).maxAbsolute;
      const { output, logSumExp } = tril.attention(Q, K, V, { logSumExp: true });
      expect(apart(run(tril, forward(of), given).output!, output)).toBeLessThan(1e-5);
      const d_output = draw(4, 2, 3, 5, 6);
      const all = { ...given, d_output };
      const back = run(tril, backward({ name: '', inputs: all }), all);
      const gradients = tril.attentionBackward(d_output, Q, K, V, { output, logSumExp });
      expect(apart(back.d_Q!, gradients.dQuery)).toBeLessThan(1e-5);
      expect(apart(back.d_K!, gradients.dKey)).toBeLessThan(1e-5);
      expect(apart(back.d_V!, gradients.dValue)).toBeLessThan(1e-5);
      const masked = { name: 'masked', operation: 'mask', inputs: ['scores'], options: {} };
      const causal: GraphEdit[] = [
        { add: masked },
        { rewire: 'weights', input: 'x', to: 'masked' },
      ];
      for (const [id, sees] of [
        ['maskTurned', (t: number, s: number) => s >= t],
        ['hidesItself', (t: number, s: number) => s < t],
      ] as const) {
        const changed = edit(forward(of), [...causal, ...mistakes[id](of)]);
        const wrong = run(tril, changed, given).output!;
        const seen = [0, 1, 2, 3, 4].map((t) => [0, 1, 2, 3, 4, 5, 6].map((s) => +sees(t, s)));
        const mask = tril.mask.dense(tril.tensor(seen), { kind: 'boolean' });
        expect(apart(wrong, tril.attention(Q, K, V, { mask }).output), id).toBeLessThan(1e-5);
      }
    }),
  );
});

describe('checkExercise', () => {
  const { code } = styles.attention![0]!;

  it('tells what is missing, what stops, and what has another shape', () => {
    expect(judge('softmax', 'x = 1').message).toBe('There is no function softmax yet.');
    expect(judge('softmax', 'def softmax(z):\n    return 3').message).toBe(
      'softmax must return an array, and returns int.',
    );
    expect(
      judge('self-attention', 'def self_attention(X, mask, A, B):\n    return X').message,
    ).toBe('self_attention must return 2 arrays, and returns numpy.ndarray.');
    expect(judge('softmax', 'def softmax(z):\n    return z @ z')).toMatchObject({
      ...{ kind: 'error', line: 2, error: { kind: 'ValueError' }, case: '5 rows of 4' },
    });
    expect(judge('softmax', 'def softmax(z):\n    return z.sum(axis=-1)').message).toBe(
      'The result must have the shape [5, 4], has [5] (5 rows of 4).',
    );
    expect(judge('softmax', 'def softmax(z):\n    return (z\n').message).toBe(
      'Line 2: SyntaxError: invalid syntax: return (z (5 rows of 4).',
    );
    expect(judge('softmax', 'def softmax(z):\n  while True: pass')).toMatchObject({
      ...{ kind: 'error', error: { kind: 'TimeoutError' } },
    });
  });

  it('leads to the first line that leads away where the mistake has no name', () => {
    const changed = code.replace('weights @ V', '(weights + 0.5) @ V');
    expect(judge('attention', changed)).toMatchObject({ kind: 'different', line: 10 });
  });

  it('judges by the first case that is wrong, and names the one that stops', () => {
    const flat = code.replace('K.swapaxes(-1, -2)', 'K.T');
    expect(judge('attention', flat)).toMatchObject({ kind: 'error', case: 'a batch', line: 8 });
  });

  it('takes an exercise of your own', () => {
    const own = { ...exercises.find(({ id }) => id === 'softmax')!, id: 'mine', name: 'mine' };
    const mine = 'import torch\ndef mine(z):\n    return torch.softmax(z, dim=-1)';
    expect(judge(own, mine).kind).toBe('right');
  });

  it('refuses wrong arguments', () => {
    const refuse = (argument: string, says: string, ...args: readonly unknown[]) => {
      const body = () => checkExercise(...(args as Parameters<typeof checkExercise>));
      expectRefused(body, { call: 'checkExercise', argument, says });
      expect(judge('attention', code).kind).toBe('right');
    };
    refuse('tril', 'must be what loadTril gives', {}, 'causal', code);
    refuse('code', 'must be a string, is 3', tril, 'causal', 3);
    refuse('exercise', 'did you mean "causal"?', tril, 'casual', code);
    refuse('exercise', 'must be the id of one or an exercise', tril, 3, code);
    refuse('exercise', 'must be the id of one or an exercise', tril, {}, code);
    refuse('limit', 'unknown option "limit"', tril, 'causal', code, { limit: {} });
  });
});

describe('where no mistake fits', () => {
  const head = (scores: string, blend: string, names = ['scores', 'weights']) => `import numpy as np
def attention(Q, K, V):
    d = Q.shape[-1]
    ${names[0]} = ${scores}
    ${names[1]} = softmax(${names[0]})
    return ${blend.replace('weights', names[1]!)}

def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)`;
  const scores = 'Q @ K.swapaxes(-1, -2) / np.sqrt(d)';

  it('names the first line that departs, and what is right there', () => {
    const verdict = judge('attention', head(`${scores} * 1.5`, 'weights @ V'));
    expect(verdict).toMatchObject({
      ...{ kind: 'different', line: 4, case: '5 tokens' },
      departure: { line: 4, place: [0, 0] },
    });
    const { found, wanted, values } = verdict.departure!;
    expect(found / wanted).toBeCloseTo(1.5, 4);
    expect([values.found.shape, values.wanted.shape]).toEqual([
      [5, 5],
      [5, 5],
    ]);
    expect(verdict.message).toMatch(
      /^The result is wrong \(5 tokens\)\. Line 4 .*\. Element \[0, 0\] is -?[\d.]+, must be -?[\d.]+\.$/u,
    );
    // The departing value is recognised by the operations after it.
    const norm = styles['layer-norm']![0]!.code.replace('1e-5', '1e-3');
    const { departure } = judge('layer-norm', norm);
    expect(departure!.line).toBe(5);
    expect(departure!.found / departure!.wanted).toBeCloseTo(1, 2);
  });

  it('says which numbers differ: what is infinite in both does not', () => {
    const hides = (x: string) => `import numpy as np

def hide(x):
    return np.where(np.tril(np.ones((3, 3))) == 1, ${x}, -np.inf)
`;
    const exercise = {
      ...{ id: 'hide', title: 'Hide', task: 'Hide.', name: 'hide', parameters: ['x'], hints: [] },
      ...{ skeleton: 'def hide(x):\n    pass\n', program: hides('x') },
      cases: [{ name: '3 rows', inputs: { x: { shape: [3, 3] } } }],
    };
    const { departure } = checkExercise(tril, exercise, hides('x * 1.5'));
    expect([...departure!.values.differs]).toEqual([1, 0, 0, 1, 1, 0, 1, 1, 1]);
  });

  it('keeps to the result where nobody knows what is right on the line', () => {
    const verdict = judge('attention', head(scores, 'weights @ V * 1.01'));
    expect(verdict).toMatchObject({ kind: 'different', line: 6, departure: { place: [0, 0] } });
    const unnamed = judge('attention', head(`${scores} * 1.5`, 'weights @ V', ['s', 'a']));
    expect(unnamed.line).toBe(4);
    expect(unnamed.departure!.line).toBeUndefined();
    expect(unnamed.message).toContain('Element [0, 0] of the result is ');
    const shifted = judge(
      'attention',
      head('(Q + 0.1) @ K.swapaxes(-1, -2) / np.sqrt(d)', 'weights @ V'),
    );
    expect(shifted).toMatchObject({ kind: 'different', line: 4 });
    const several = judge(
      'self-attention',
      styles['self-attention']![0]!.code.replace('@ W_out, attn', '@ W_out * 1.01, attn'),
    );
    expect(several.departure).toMatchObject({ place: [0, 0, 0] });
    expect(several.departure!.wanted * 1.01).toBeCloseTo(several.departure!.found, 4);
  });

  it('finds heads that a loop makes one by one, and what is no number', () => {
    const code = `import numpy as np
def multi_head_attention(X, W_QKV, W_out, heads):
    d = X.shape[-1] // heads
    Q, K, V = np.split(X @ W_QKV, 3, axis=-1)
    out = []
    for h in range(heads):
        q, k, v = [m[:, :, h * d:(h + 1) * d] for m in (Q, K, V)]
        s = q @ k.swapaxes(-1, -2) / np.sqrt(d)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        w = e / e.sum(axis=-1, keepdims=True)
        out.append(w @ v)
    return np.concatenate(out, axis=-1) @ W_out`;
    expect(judge('heads', code).kind).toBe('right');
    expect(judge('heads', code.replace('np.exp(s -', 'np.exp(0.9 * s -')).line).toBe(9);
    const broken = judge('heads', code.replace('w @ v', 'w @ v / 0'));
    expect(broken.message).toMatch(/ is nan, must be -?[\d.]+\.$/u);
    expect(broken.line).toBe(11);
  });

  it('hands on what the first case made, and nothing that it does not', () => {
    const code = head(`${scores} * 1.5`, 'weights @ V');
    withoutLeak(() => {
      const { run, ...verdict } = checkExercise(tril, 'attention', code, { withRun: true });
      expect(verdict).toEqual(judge('attention', code));
      const alone = runExercise(tril, 'attention', code);
      expect(run!.graph).toEqual(alone.graph);
      expect(run!.lines).toEqual(alone.lines);
      expect(run!.tensors['scores']!.read()).toEqual(alone.tensors['scores']!.read());
      // A name that the program assigns itself hides nothing.
      const own = `Q = K = V = 0\n${code}`;
      expect(runExercise(tril, 'attention', own).tensors['Q']!.shape).toEqual([5, 4]);
      expect(runExercise(tril, 'attention', own).error).toBeNull();
      const stopped = checkExercise(tril, 'attention', 'def attention(Q, K, V):\n  return Q @ K', {
        withRun: true,
      });
      expect(stopped.run!.error).toMatchObject({ line: 2 });
    });
    expectRefused(() => checkExercise(tril, 'attention', code, { withRun: 3 as never }), {
      call: 'checkExercise',
      argument: 'withRun',
      says: 'must be true or false',
    });
  });
});

describe('runExercise', () => {
  const code = styles['causal']![0]!.code;
  it('gives what every line made of a case’s numbers', () => {
    withoutLeak(() => {
      tril.scope(() => {
        const run = runExercise(tril, 'causal', code, { case: 2 });
        expect(run.error).toBeNull();
        expect(run.graph.nodes.slice(0, 3).map(({ name }) => name)).toEqual(['Q', 'K', 'V']);
        expect(run.tensors['Q']!.shape).toEqual([2, 7, 2]);
        const returned = run.values['_result']!;
        expect(returned.shape).toEqual([2, 7, 2]);
        const made = run.lines.flatMap(({ line, values }) =>
          values.map(({ name }) => [line, name]),
        );
        expect(made.map(([, name]) => name)).toContain('scores');
      });
    });
  });

  it('gives what the function returned: an array or several, and nothing else', () => {
    const nodesOf = (returned: string) =>
      tril.scope(() =>
        resultNodes(
          runExercise(tril, 'softmax', `def softmax(z):\n    y = z * 2\n    return ${returned}`),
        ),
      );
    expect(nodesOf('y')).toEqual(['y']);
    expect(nodesOf('y, z')).toEqual(['y', 'z']);
    for (const other of ['(y,)', '[]', '(y, 3)', '3', 'None']) expect(nodesOf(other)).toBeNull();
    expect(judge('softmax', 'def softmax(z):\n    return (z,)').message).toBe(
      'softmax must return an array, and returns tuple.',
    );
  });

  it('gives the error of a program, and what was made before', () => {
    tril.scope(() => {
      const { error, lines } = runExercise(
        tril,
        'attention',
        'def attention(Q, K, V):\n  return Q @ K',
      );
      expect(error).toMatchObject({ kind: 'ValueError', line: 2 });
      expect(lines.length).toBeGreaterThan(0);
      const missing = runExercise(tril, 'attention', '');
      expect(missing.error).toMatchObject({ kind: 'NameError', line: 2 });
    });
  });

  it.each([
    ['attention', 2, 1, 4 * 1024 ** 2],
    ['causal', 2, 1, 4 * 1024 ** 2],
    ['heads', 4, 1, 4 * 4 * 1024 ** 2],
    ['batches', 2, 1, 2 * 4 * 1024 ** 2],
    ['online-softmax', 16, 0, 4 * 1024 * 128],
  ] as const)('runs %s on 1024 tokens, and counts', (id, products, softmaxes, scores) => {
    withoutLeak(() => {
      tril.scope(() => {
        for (const { code: written } of styles[id]!.slice(0, 2)) {
          const run = runExercise(tril, id, written, { large: true });
          if (run.graph.nodes.some(({ operation }) => operation === 'attention')) continue;
          expect(run.error).toBeNull();
          expect(countsOf(run)).toMatchObject({ products, softmaxes, scores });
          expect(countsOf(run).arrays).toBeGreaterThan(scores);
        }
      });
    });
  });

  it('counts what is there', () => {
    expectRefused(() => countsOf({} as never), {
      ...{ call: 'countsOf', argument: 'run', says: 'must be what runProgram gives' },
    });
    expectRefused(() => runExercise(tril, 'softmax', numpySoftmax, { large: true }), {
      ...{ call: 'runExercise', argument: 'large', says: 'softmax has no such case' },
    });
    const { products, softmaxes } = tril.scope(() =>
      countsOf(runExercise(tril, 'softmax', numpySoftmax)),
    );
    expect([products, softmaxes]).toEqual([0, 1]);
  });

  it('refuses wrong arguments', () => {
    const refuse = (argument: string, says: string, ...args: readonly unknown[]) => {
      const body = () => runExercise(...(args as Parameters<typeof runExercise>));
      expectRefused(body, { call: 'runExercise', argument, says });
      tril.scope(() => expect(runExercise(tril, 'causal', code).error).toBeNull());
    };
    withoutLeak(() => {
      refuse('tril', 'must be what loadTril gives', {}, 'causal', code);
      refuse('code', 'must be a string, is 3', tril, 'causal', 3);
      refuse('exercise', 'did you mean "causal"?', tril, 'casual', code);
      refuse('case', 'there are 4 cases, from 0', tril, 'causal', code, { case: 4 });
      refuse('case', 'at least 0', tril, 'causal', code, { case: -1 });
      refuse('cases', 'did you mean "case"?', tril, 'causal', code, { cases: 1 });
    });
  });
});
