// Links and pasted texts are untrusted. Whatever they contain, each chapter reads a state from it that it can write and
// read again, names a few of the parts that it could not read, and takes time in proportion to their length: a reader
// that went over each text once for each of its letters would not get through a megabyte before the test ends.
// FUZZ_SECONDS=600 continues with other seeds for that long.
import { test } from '@playwright/test';
import { labelsOf } from '../../web/src/entered/labels.ts';
import { parseNumbers, replaceNumber } from '../../web/src/entered/numbers.ts';
import { tokenize } from '../../web/src/entered/tokens.ts';
import { movedFrom, splitHash } from '../../web/src/state/places.ts';
import { mutated, seeded } from '../mutations.ts';
import { expect } from './expect.ts';
import { codecs, full } from './links.ts';

const megabyte = 1_000_000;

const bits = [
  ...['&', '=', '?', '#', '!', '~', '.', ',', ';', '%', '+', '-', '−', '/', '\\', ' ', '\u00a0'],
  ...['[', ']', '(', ')', '"', "'", '<', '\0', '\n', '\r', '\u2028', '\ud800', '\udc00', '\u202e'],
  ...[
    '0',
    '1',
    '9',
    '63',
    '64',
    '1e999',
    '-1e-999',
    '1e39',
    '-3.5e38',
    '0x10',
    'NaN',
    'inf',
    '∞',
    '.5',
    '5.',
    '00',
  ],
  ...['%00', '%', '%zz', '%ff', '%ed%a0%80', '%F0%9F%98%80', '😀', 'e\u0301', 'हिन्दी', '猫'],
  ...['__proto__', 'constructor', 'toString', 'text=', 'pin=', 'edits=', 'x.0.0', 'wq~0~7~3'],
  ...['1'.repeat(40), '!'.repeat(40), '~'.repeat(99), ' '.repeat(99), 'a&'.repeat(40)],
];

type Named = Record<string, unknown>;
const plain = (state: object) => JSON.parse(JSON.stringify(state)) as Named;

/** Expects a state that was read to be the same after writing and reading it again. */
function expectRead(id: string, query: string): void {
  const { decode, encode, defaults } = codecs[id];
  const { state, problems } = decode(query);
  expect(Object.keys(state)).toEqual(Object.keys(defaults));
  expect(problems.length).toBeLessThanOrEqual(24);
  for (const { field, found } of problems) {
    expect(field.length + found.length).toBeLessThanOrEqual(2 * 41);
  }
  const again = decode(encode(state as never));
  expect(again.problems).toEqual([]);
  expect(plain(again.state)).toEqual(plain(state));
}

function expectPasted(text: string): void {
  const numbers = parseNumbers(text);
  if (numbers.kind === 'numbers') {
    const { rows, cols, data } = numbers.matrix;
    expect([data.length, rows <= 64, cols <= 12]).toEqual([rows * cols, true, true]);
    expect(labelsOf(numbers)).toHaveLength(rows);
    expect(data.some(Number.isNaN) && !/nan/iu.test(text)).toBe(false);
    if (rows * cols > 0) {
      const changed = parseNumbers(replaceNumber(text, rows - 1, cols - 1, '7'));
      expect(changed.kind === 'numbers' && changed.matrix.data.at(-1)).toBe(7);
    }
  }
  for (const mode of ['words', 'characters'] as const) {
    const found = tokenize(text, mode);
    expect(found.ids.map((token) => found.distinct[token])).toEqual(found.tokens);
    expect(labelsOf(found)).toHaveLength(found.tokens.length);
  }
}

const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
/** At least `count` seeds per chapter, and more while there is time. */
function* seeds(count: number): Generator<number> {
  const end = performance.now() + 1000 * seconds;
  for (let seed = 0; seed < count || performance.now() < end; ++seed) yield seed;
}

for (const id of Object.keys(codecs)) {
  test(`${id}: any link makes a state that is written and read again`, () => {
    test.setTimeout(180_000 + 2000 * seconds);
    for (const seed of seeds(200)) {
      const query = mutated(full[id], bits, seeded(seed));
      try {
        expectRead(id, query);
      } catch (error) {
        throw new Error(`seed ${seed}: ${JSON.stringify(query)}`, { cause: error });
      }
    }
  });

  test(`${id}: no link takes more time than its length`, () => {
    const length = 99_000; // for a field that is accepted, unless another bound forbids it
    const long = ['1', '1.', '!', '!x', '~', ',', ';', '1,', '1;', '.', 'a', ' ', '\u2028', '😀'];
    for (const field of [...Object.keys(codecs[id].defaults), 'zz']) {
      for (const part of long) {
        expectRead(id, `${field}=${part.repeat(length / part.length)}x`);
      }
      expectRead(id, `${field}=1&`.repeat(length / (field.length + 3)));
    }
    for (const part of ['zz&', '&', '=', '%', 'zz=1&zz=1&']) {
      expectRead(id, part.repeat(megabyte / part.length));
    }
  });
}

/** Texts that no field of numbers or names accepts, and few fields of texts: far too long, or with invalid bytes. */
const strange = [
  ...['9'.repeat(40_000), `1e${'9'.repeat(40_000)}`, `${'1,'.repeat(20_000)}1`, '!'.repeat(60_000)],
  ...['%', '%zz', '%E0%A4%A', '%ff%fe', '%ed%a0%80', '%00', '%26%3D', ''],
];

for (const id of Object.keys(codecs)) {
  test(`${id}: a field that is there twice, and broken once, leaves all others as they are`, () => {
    const { decode } = codecs[id];
    const whole = plain(decode(full[id]).state);
    for (const [name, good] of new URLSearchParams(full[id])) {
      for (const bad of strange) {
        const [broken, sound] = [
          `${name}=${bad}`,
          new URLSearchParams({ [name]: good }).toString(),
        ];
        for (const first of [true, false]) {
          const query = first ? `${broken}&${full[id]}` : `${full[id]}&${broken}`;
          const { state, problems } = decode(query);
          const refused = problems.length > 0;
          expect(problems.map(({ field }) => field)).toEqual(refused ? [name] : []);
          // The last readable value counts.
          const found = plain(state);
          expect(first || refused ? found : { ...found, [name]: whole[name] }).toEqual(whole);
        }
        expect(plain(decode(`${full[id]}&${broken}&${sound}`).state)).toEqual(whole);
      }
      expect(plain(decode(`${full[id]}&${name}=${'!'.repeat(megabyte)}`).state)).toEqual(whole);
    }
  });
}

test('a link that is too long keeps what it says first, and what is left out is named', () => {
  const { decode, defaults } = codecs.attend;
  const { state, problems } = decode(`head=same&text=${'a'.repeat(megabyte)}`);
  expect(state).toEqual({ ...defaults, head: 'same' });
  expect(problems).toEqual([{ field: '…', found: `&text=${'a'.repeat(34)}…` }]);
  const many = decode(Array.from({ length: 1000 }, (_, i) => `z${i}=1`).join('&'));
  expect(many.problems).toHaveLength(20);
  expect(decode(`${'z'.repeat(999)}=1`).problems[0].field).toBe(`${'z'.repeat(40)}…`);
});

test('a place is found in any address', () => {
  for (const part of ['?', '#', '/', 'attend', '#attend/', 'a', '=']) {
    const hash = `#${part.repeat(megabyte)}`;
    const { section, query } = splitHash(hash);
    expect(section.length + query.length).toBeGreaterThan(megabyte - 2);
    movedFrom(hash, Object.keys(codecs));
    movedFrom(`#attend/${hash}`, Object.keys(codecs));
  }
});

test('whatever is pasted as words or numbers is read, or said to be none', () => {
  test.setTimeout(180_000 + 2000 * seconds);
  const starts = [
    '1 2\n3 4',
    '[[1, 2], [3, 4]]',
    'the cat saw the dog',
    '1;2;3',
    'e\u0301té 猫 हिन्दी',
  ];
  for (const seed of seeds(500)) {
    const text = mutated(starts[seed % starts.length], bits, seeded(seed));
    try {
      expectPasted(text);
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(text)}`, { cause: error });
    }
  }
  // The names of properties that every JavaScript object has are not numbers either.
  for (const found of ['constructor', '__proto__', '__proto__1']) {
    const problem = { kind: 'notANumber', row: 1, found };
    expect(parseNumbers(`1 ${found}`)).toEqual({ kind: 'problem', problem });
  }
  for (const part of ['1', '1 ', '] ', '],', '[', '1e', '.', ' ', '\n', 'a\u0301', '!', '\u200d']) {
    const field = part.repeat(4000 / part.length); // the most that a field takes
    expectPasted(field);
    expectPasted(`]${field}x`);
    parseNumbers(field.repeat(50));
    parseNumbers(`]${field.repeat(50)}x`);
  }
});
