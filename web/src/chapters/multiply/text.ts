// Every word of chapter "Multiply", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { Reading, TracedMethod } from 'tril';
import type { Runner } from '../../compute/measure-protocol';

const plural = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`;

export const text = {
  title: 'Multiply',
  kicker: 'Chapter 1',
  heading: 'One product, many ways',
  lede: 'A matrix is a table of numbers, and two of them can be multiplied. Attention does it twice, Q times K with its rows as columns, then weights times V, and nearly all of its time goes here.',
  intro:
    'For the number in row i and column j of the product C, take row i of A and column j of B, multiply them number by number, and add up. Nothing says in which order, and every order gives the same matrix. They differ in what one sees, in what memory has to do, and in how long it takes.',
  loading: 'Loading the core …',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
  },

  readings: {
    title: 'Four readings of a product',
    label: 'Read as',
    names: {
      dots: 'Dot products',
      rows: 'Rows',
      columns: 'Columns',
      outer: 'Outer products',
    } satisfies Record<Reading, string>,
    about: {
      dots: 'Every entry of C by itself: a row of A meets a column of B, number by number multiplied, then added up. This is how scores are thought of, a query and a key at a time.',
      rows: 'A row of C is a blend of the rows of B, and a row of A says how much of each. This is how weights times V is thought of: each output a blend of values.',
      columns:
        'A column of C is a blend of the columns of A, and a column of B says how much of each.',
      outer:
        'C is a stack of layers: column k of A times row k of B is a whole matrix, and C is the sum of them. Each layer has rank one: its rows are multiples of a single row.',
    } satisfies Record<Reading, string>,
    formulas: {
      dots: String.raw`\role{score}{c_{ij}} = \role{q}{a_{i:}}\,\role{k}{b_{:j}}`,
      rows: String.raw`\role{score}{c_{i:}} \mathrel{+}= \role{q}{a_{ik}}\,\role{k}{b_{k:}}`,
      columns: String.raw`\role{score}{c_{:j}} \mathrel{+}= \role{q}{a_{:k}}\,\role{k}{b_{kj}}`,
      outer: String.raw`\role{score}{C} \mathrel{+}= \role{q}{a_{:k}}\,\role{k}{b_{k:}}`,
    } satisfies Record<Reading, string>,
    begin: 'Nothing has been added up yet. Press play, or step.',
    step: {
      dots: (i: number, j: number) => `Row ${i} of A meets column ${j} of B.`,
      rows: (i: number, k: number, x: string) => `Row ${i} of C gets ${x} times row ${k} of B.`,
      columns: (j: number, k: number, x: string) =>
        `Column ${j} of C gets ${x} times column ${k} of A.`,
      outer: (k: number) => `C gets column ${k} of A times row ${k} of B.`,
    },
    steps: 'Steps of the product',
    sizes: { rows: 'rows of A', depth: 'depth', cols: 'columns of B' },
    less: (what: string) => `Fewer ${what}`,
    more: (what: string) => `More ${what}`,
    hint: 'Point at any number, tap it, or reach it with the arrow keys. Numbers of A and B can be changed.',
    given: 'You gave this number. Change it and everything that follows from it changes.',
    partial: (done: number, of: number) =>
      done === of
        ? `All ${plural(of, 'term')} are in.`
        : `${done} of ${plural(of, 'term')} so far.`,
    none: 'Nothing has been added up here yet.',
    axes: { row: 'row', column: 'column' },
    same: 'The steps differ; the last one is always the same matrix, to the last bit.',
    source:
      'Strang, Introduction to Linear Algebra, section 2.4. Shapes: A is n × k, B is k × m, C is n × m. In a formula a colon stands for “all”: i: is a whole row, :j a whole column.',
    question: (i: number, j: number, reading: string) =>
      `Read as ${reading}: when will the number in row ${i}, column ${j} of C be final?`,
    choices: {
      first: 'after the first step',
      half: 'somewhere in between',
      last: 'after the last step',
    },
    answer: (step: number, last: number) => `It is final after step ${step} of ${last}.`,
  },

  memory: {
    title: 'What the loops do to memory',
    heading: 'The same loops, other neighbours',
    lede: 'Memory comes in lines. Whoever asks for one number is handed its neighbours too, and they are of use only if they are asked for next.',
    about:
      'A cache is a small, fast memory for the lines that were used last. A number found there is a hit; where its line must be fetched first, that is a miss. Here the matrices are 16 × 16, a line holds 4 numbers, and the cache 8 lines: far less than a matrix. Each of the six orders of the three loops makes exactly the same multiplications. Their order decides what is still in the cache when it is needed again.',
    counted:
      'Hits and misses are counted by running the core’s own loops on a memory that tells, and the last column is counted with pencil and paper.',
    label: 'Loops',
    orders: {
      ijk: 'i j k',
      jik: 'j i k',
      ikj: 'i k j',
      kij: 'k i j',
      jki: 'j k i',
      kji: 'k j i',
      blocked: 'blocked',
    } satisfies Record<TracedMethod, string>,
    walks: {
      ijk: 'The innermost loop walks along a row of A and down a column of B: of every line of B one number is used.',
      jik: 'As i j k, with the outer loops exchanged: a row of A, and a column of B, where a line brings one number of use.',
      ikj: 'The innermost loop walks along a row of B and a row of C. The row of C stays in the cache while its terms come in.',
      kij: 'The innermost loop walks along a row of B and a row of C, but every turn goes on to another row of C.',
      jki: 'The innermost loop walks down a column of A and a column of C: of every line one number is used, twice over.',
      kji: 'As j k i, with the outer loops exchanged: down the columns of A and C.',
      blocked:
        'Blocks of 4 × 4: a block of B is used for a whole block of rows before it goes, so every line that comes in is worthwhile.',
    } satisfies Record<TracedMethod, string>,
    paper: {
      ijk: 'n²(r + n + 1)',
      jik: 'n²(r + n + 1)',
      ikj: 'n²(r + 1) + 2nr',
      kij: 'n²(2r + 1) + nr',
      jki: 'n²(2n + 1) + nr',
      kji: 'n²(2n + 1) + nr',
      blocked: '(n/t)³ · 3t + nr',
    } satisfies Record<TracedMethod, string>,
    cost: 'In any order the same operations; the bytes that must move at least are these:',
    where: 'n = 16, r = n / 4 = 4 lines a row, t = 4 the edge of a block; nr for zeroing C.',
    steps: 'Accesses to memory',
    spoken: (at: number, what: string) => `Access ${at}: ${what}`,
    access: (write: boolean, matrix: string, row: number, col: number, hit: boolean) =>
      `${write ? 'write' : 'read'} ${matrix}[${row}, ${col}], ${hit ? 'hit' : 'miss'}`,
    begin: 'Nothing has been read yet. Press play, or drag.',
    cache: 'The cache, most recently used first',
    empty: 'empty',
    line: (matrix: string, row: number, from: number, to: number) =>
      `${matrix}[${row}, ${from}–${to}]`,
    hits: 'hits',
    misses: 'misses',
    legend: { held: 'in the cache', hit: 'hit', miss: 'miss' },
    table: {
      order: 'loops',
      accesses: 'accesses',
      misses: 'misses',
      rate: 'of accesses',
      paper: 'on paper',
    },
    figure: 'A, B and C as memory: what the cache holds is filled, the access at hand is ringed.',
    question: (one: string, other: string) =>
      `Same multiplications, other order: which misses the cache more often, ${one} or ${other}?`,
    alike: 'both alike',
    answer: (one: string, a: string, other: string, b: string) =>
      `${one} misses ${a} times, ${other} ${b} times.`,
  },

  measured: {
    title: 'Measured on this machine',
    heading: 'The same loops on your machine',
    lede: 'What the small cache foretold, your processor confirms: the same kernels at sizes where it matters.',
    about:
      'Each product is timed in a Worker, so that the page goes on: batches of 20 ms or more after a warm-up, the median of five. The peak is a loop of multiply-adds that never leaves the registers, and plain JavaScript is three loops as anyone would write them. Both are measured in the same run. 1 GFLOP/s is a thousand million multiplications and additions a second.',
    exponent:
      'The exponent says how the time grows with n: with 3, twice the size takes eight times as long. It is fitted to the larger half of the sizes: 3 where only the arithmetic counts, more where memory does, log₂ 7 ≈ 2.81 a level where Strassen’s seven products replace eight.',
    start: 'Measure',
    again: 'Measure again',
    cancel: 'Cancel',
    upTo: 'Sizes up to',
    running: (runner: string, n: number) => `${runner}, n = ${n}`,
    remaining: (seconds: number) =>
      seconds < 2 ? 'nearly done' : `about ${Math.round(seconds)} s remain`,
    beginning: 'loading and measuring the peak',
    idle: 'Nothing has been measured yet. Up to n = 512 it takes about half a minute, beyond that longer, and keeps one core busy.',
    cancelled: 'Cancelled. What was measured until then stays.',
    failed: (why: string) => `The measurement ended early: ${why}`,
    progress: 'Progress of the measurement',
    peak: 'peak',
    axes: { n: 'n, rows and columns', speed: 'GFLOP/s' },
    chart: 'GFLOP/s against n, both logarithmic',
    runners: {
      ijk: 'i j k',
      jik: 'j i k',
      ikj: 'i k j',
      kij: 'k i j',
      jki: 'j k i',
      kji: 'k j i',
      blocked: 'blocked',
      tiled: 'tiled',
      strassen: 'Strassen',
      eigen: 'Eigen',
      javascript: 'plain JavaScript',
    } satisfies Record<Runner, string>,
    table: {
      caption: 'Median time of one product, and its speed',
      runner: 'method',
      speed: 'GFLOP/s at n =',
      exponent: 'exponent',
      share: 'of peak',
    },
    skipped: 'A dash stands where one product would have taken too long.',
    crossover: (n: number) => `Strassen was faster than tiled from n = ${n} on.`,
    noCrossover: (n: number) =>
      `Strassen was not faster than tiled up to n = ${n}: where it would not pay, it leaves the work to the tiles.`,
    spread: (least: string, most: string) => `${least} to ${most}`,
    question: (slow: string, fast: string, n: number) =>
      `Same multiplications, ${n} × ${n} numbers, your machine: how many times as fast as “${slow}” is “${fast}”?`,
    ratios: ['less than 1.5', '1.5 to 5', '5 to 20', 'more than 20'],
    racing: 'They are being raced on your machine …',
    answer: (slow: string, a: string, fast: string, b: string, ratio: string) =>
      `${slow} took ${a}, ${fast} ${b}: ${ratio} times as fast.`,
    cost: (runner: string, n: number) => `${runner}, n = ${n}:`,
  },

  strassen: {
    title: 'Strassen’s seven products',
    heading: 'Seven instead of eight',
    lede: 'Cut into quarters, a product of matrices takes eight products of quarters. Strassen found in 1969 that seven are enough, if one adds first.',
    about:
      'Each of the seven multiplies a sum of quarters of A by a sum of quarters of B, and goes, with its sign, into some quarters of C. Done again inside each of the seven, the number of multiplications grows as n to the 2.81 instead of n³. It pays only for large matrices, where a multiplication saved is worth eighteen additions of quarters.',
    label: 'Product',
    steps: 'Strassen’s seven products',
    hint: 'Point at any number. Those of A and B can be changed.',
    given: 'You gave this number. Change it and everything that follows from it changes.',
    sums: { left: 'A sum of quarters of A.', right: 'A sum of quarters of B.' },
    product: (p: number) => `Row of the left sum times column of the right sum: an entry of M${p}.`,
    result: 'The sum of those of the seven products that go into this quarter.',
    own: 'Each matrix on its own scale.',
    cost: {
      plain: (n: number) => `Two matrices of ${n} × ${n}, by tiles:`,
      strassen: 'The same by Strassen’s method, as often as it pays:',
    },
    measure: {
      start: 'Time both',
      again: 'Time both again',
      idle: 'Neither has been timed yet: a few seconds, in a Worker.',
      beginning: 'loading',
      ratio: (ratio: string, n: number) =>
        `At n = ${n}, Strassen’s method was ${ratio} times as fast here.`,
    },
    question: (quarter: string) =>
      `How many of the seven products are added up in the quarter C${quarter}?`,
    answer: (quarter: string, sum: string) => `C${quarter} = ${sum}.`,
    symbols: { left: 'left sum', right: 'right sum' },
    error: {
      heading: 'What it costs in digits',
      about:
        'Sums of quarters are rounded before they are multiplied, so errors grow a little with every level. Here is the distance from the product in double precision, entry by entry, for random matrices of size 128.',
      levels: ['tiled, no level', 'one level', 'two levels'],
      costs: [
        'The product of size 128, by tiles alone:',
        'One level: seven products of size 64, and 18 sums:',
        'Two levels: 49 products of size 32, and the sums of both:',
      ],
      symbol: 'error',
      largest: 'largest',
      rms: 'root mean square',
      again: 'Other matrices',
    },
    source:
      'Strassen, Gaussian Elimination is not Optimal, 1969; error: Higham 2002, section 23.2.2.',
  },
} as const;
