// The fields of addresses, chapter by chapter: links of every age can be read, each field alone, and are written again
// as short as possible. The test runs in Node, on the codecs alone; the links below are visitors' links.
import { expect, test } from '@playwright/test';
import * as average from '../../web/src/state/average.ts';
import * as mask from '../../web/src/state/mask.ts';
import * as multiply from '../../web/src/state/multiply.ts';
import { packed } from '../../web/src/state/write.ts';
import { codecs, full } from './links.ts';

const plain = (query: string) => decodeURIComponent(query);

for (const [id, codec] of Object.entries(codecs)) {
  test(`${id}: every field is read and written, and left out where it is as by default`, () => {
    expect(codec.encode(codec.defaults as never)).toBe('');
    expect(codec.decode('')).toEqual({ state: codec.defaults, problems: [] });
    const { state, problems } = codec.decode(full[id]);
    expect(problems).toEqual([]);
    const same = Object.entries(codec.defaults).filter(
      ([name, usual]) =>
        JSON.stringify(usual) === JSON.stringify((state as Record<string, unknown>)[name]),
    );
    expect(same, 'fields that the link leaves at their default').toEqual([]);
    expect(plain(codec.encode(state as never))).toBe(full[id]);
    // Each field alone, with the others at their defaults.
    for (const [name, value] of new URLSearchParams(full[id])) {
      const alone = codec.decode(new URLSearchParams({ [name]: value }).toString());
      if (id === 'average' || id === 'multiply') continue; // matrices that belong together
      expect(alone.problems, name).toEqual([]);
      expect(alone.state, name).toEqual({ ...codec.defaults, [name]: (state as never)[name] });
    }
  });
}

test('what fields were called before is still understood, and written as they are called now', () => {
  const older: Record<string, [old: string, now: string]> = {
    attend: ['spin=naive.0.3', 'softmaxPin=naive.0.3'],
    block: ['gpin=normed.0.1&spin=gap.1.1', 'normPin=normed.0.1&shufflePin=gap.1.1'],
    longer: ['lpin=soft.2.1', 'linearPin=soft.2.1'],
    mask: ['at=after.1.2', 'futurePin=after.1.2'],
    multiply: [
      'sa=1,2,0,1;3,1,2,0;0,1,4,2;2,0,1,4&sb=2,0,1,1;1,3,0,2;0,1,2,1;4,1,0,5&spin=sc.0.2',
      'strassenA=1,2,0,1;3,1,2,0;0,1,4,2;2,0,1,4&strassenB=2,0,1,1;1,3,0,2;0,1,2,1;4,1,0,5&strassenPin=sc.0.2',
    ],
    towers: ['apin=dot.1.2', 'additivePin=dot.1.2'],
  };
  for (const [id, [old, now]] of Object.entries(older)) {
    const { state, problems } = codecs[id].decode(old);
    expect(problems, id).toEqual([]);
    expect(plain(codecs[id].encode(state as never)), id).toBe(now);
  }
});

/** Unreadable fields, among others that can be read. */
const broken: Record<string, [link: string, refused: readonly string[]]> = {
  attend: [
    'text=&step=nonsense&moves=1&laid=1&pin=q.1&pin=nope.1.2&edits=wq~0~7&added=121&width=11&seed=0&scores=1,2,3&across=13&other=1&by=words',
    [
      'step',
      'moves',
      'laid',
      'pin',
      'pin',
      'edits',
      'added',
      'width',
      'seed',
      'scores',
      'across',
      'other',
    ],
  ],
  average: [
    'x=1;2,3&batch=3&scores=1,2&weights=a&show=',
    ['x', 'batch', 'scores', 'weights', 'show'],
  ],
  block: [
    'off=&edits=&head=3&edits=9.1~2&edits=1.9~1&off=norm1,nope&given=1,2;3&gpin=x&seed=1e3',
    ['off', 'edits', 'head', 'edits', 'edits', 'off', 'given', 'gpin', 'seed'],
  ],
  check: [
    'bug=0&pin=q.0.0&heads=65&tolerance=5&kind=x&seed=0&heads=3',
    ['bug', 'pin', 'heads', 'tolerance', 'kind', 'seed'],
  ],
  heads: [
    'writers=011&layer=3&head=0&pin=map5.0.0&pair=x.1.1&step=7&into=3&word=14',
    ['writers', 'layer', 'head', 'pin', 'pair', 'step', 'into', 'word'],
  ],
  learn: [
    'rate=2&steps=41&all=1&pin=dx.0.0&nudge=4&task=reverse&seed=0&head=5&at=201&change=all&pair=0',
    ['rate', 'steps', 'all', 'pin', 'nudge', 'task', 'seed', 'head', 'at', 'change', 'pair'],
  ],
  longer: [
    'tokens=7&queries=5&rank=3&step=1000&edits=x~1~1~1&lpin=a.1.1&edits=q~0~0~inf&constructor=1',
    ['tokens', 'queries', 'rank', 'step', 'edits', 'lpin', 'edits', 'constructor'],
  ],
  mask: [
    'rules=causal,causal&drawn=2.99&drawn=x&overwritten=yes&at=mask.0.0&drawn=13.0&__proto__=1',
    ['rules', 'drawn', 'drawn', 'overwritten', 'at', 'drawn', '__proto__'],
  ],
  meaning: ['axes=three&seed=0&layer=100&colour=1', ['axes', 'seed', 'layer', 'colour']],
  multiply: ['a=1,2;3&sa=1,2;3,4&product=8', ['a', 'sa', 'product']],
  write: [
    `exercise=casual&code=abc&program=mlp&own=${packed('#'.repeat(20_001))}&code=a+b`,
    ['exercise', 'code', 'program', 'own', 'code'],
  ],
  towers: [
    'causal=maybe&padding=9&flips=&flips=x.0.1&step=0&asks=9&asked=10&whole=cross',
    ['causal', 'padding', 'flips', 'flips', 'step', 'asks', 'asked', 'whole'],
  ],
};
test('what cannot be read is named, and all else is read', () => {
  for (const [id, [link, refused]] of Object.entries(broken)) {
    const { state, problems } = codecs[id].decode(link);
    expect(
      problems.map(({ field }) => field),
      id,
    ).toEqual(refused);
    const rest = { ...codecs[id].defaults };
    if (id === 'attend') Object.assign(rest, { text: '' });
    if (id === 'check') Object.assign(rest, { heads: 3 });
    expect(state, id).toEqual(rest);
  }
  const long = codecs.attend.decode(`step=${'x'.repeat(60)}`).problems;
  expect(long).toEqual([{ field: 'step', found: `${'x'.repeat(40)}…` }]);
});

test('no rules at all can be said, and matrices that do not go together fall back as one', () => {
  const none = mask.decode('rules=');
  expect([none.state.rules, none.problems, mask.encode(none.state)]).toEqual([[], [], 'rules=']);
  const apart = multiply.decode('a=1,2,3&b=1;2&step=2');
  expect(apart.problems).toEqual([{ field: 'a, b', found: '1,2,3 × 1;2' }]);
  expect(apart.state).toEqual({ ...multiply.defaults, step: 2 });
  for (const link of ['x=1,2&y=1;2', 'x=1,2,3,4,5&y=1,2,3,4,5']) {
    const { state, problems } = average.decode(link);
    expect(problems.map(({ field }) => field)).toEqual(['x, y']);
    expect(state).toEqual(average.defaults);
  }
});

test('numbers are written as short as they are read again', () => {
  const link = 'x=0.1,3.4028235e%2B38;1e-45,-0.3333333432674408;16777216,2.5&y=1,2;3,4;5,6';
  const { state, problems } = average.decode(link);
  expect(problems).toEqual([]);
  const again = average.encode(state);
  expect(average.decode(again).state).toEqual(state);
  expect(plain(again)).toBe('x=0.1,3.4028235e+38;1e-45,-0.33333334;16777216,2.5&y=1,2;3,4;5,6');
});
