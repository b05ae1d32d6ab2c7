// Every word of chapter "Longer", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { AttentionRunner } from '../../compute/measure-protocol';
import type { MaskId, Source } from '../../state/longer';

export const text = {
  kicker: 'Chapter 8',
  heading: 'The same answer, without the square',
  lede: 'Twice the tokens, four times the scores: T × T of them. What can be saved, and what does it cost?',
  intro:
    'Softmax needs the largest score of a row and the sum of the row before it can say any weight. Online softmax goes by with what it knows so far: a block of keys at a time, it keeps a running maximum m, a running sum ℓ and an output o that is not divided yet. When the maximum grows, what was added up before is scaled down by one factor. At the end o is divided by ℓ. The result is exact, whatever the order of the blocks.',
  misconception:
    'It is still softmax attention: nothing is approximated, and the mask still applies, score by score. Only blocks that the mask hides whole are skipped. It saves memory; whether it saves time is a matter of the machine, measured below.',
  papers:
    'Milakov and Gimelshein 2018 (the running maximum and sum); Rabe and Staats 2021 (attention without the T × T memory); Dao et al. 2022 (FlashAttention: blocks that fit in fast memory).',
  shapes:
    'Shapes: Q and K are T × d, V is T × dᵥ; held at once: a block of scores, and m, ℓ a query.',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
  },
  sources: {
    random: 'Random',
    previous: 'Previous token',
    same: 'Same token',
    first: 'First token',
    average: 'Average',
  } satisfies Record<Source, string>,
  axes: { query: 'query, looks', key: 'key, is looked at', entry: 'entry', step: 'block of keys' },

  online: {
    title: 'Online softmax, block by block',
    source: 'Q, K, V',
    again: 'Other numbers',
    mask: 'Mask',
    masks: {
      none: 'None',
      causal: 'Causal',
      window: 'Window of 3',
      strided: 'Strided',
    } satisfies Record<MaskId, string>,
    tokens: 'Tokens',
    queries: 'Queries a block',
    keys: 'Keys a block',
    steps: 'Blocks',
    begin: 'Nothing is held yet. Play, or step on.',
    visit: (queries: string, keys: string) => `Queries ${queries} look at keys ${keys}.`,
    skip: (queries: string, keys: string) =>
      `Queries ${queries} see none of the keys ${keys}: the block is skipped, nothing is multiplied.`,
    first: 'Maximum, sum and output begin.',
    grew: (count: number) =>
      count === 0
        ? 'No maximum grew: nothing is rescaled.'
        : count === 1
          ? 'One maximum grew: its row is rescaled.'
          : `${count} maxima grew: their rows are rescaled.`,
    done: 'The last block of these queries: o divided by ℓ goes to the output.',
    formulas: [
      String.raw`m' = \max(m,\ \role{score}{s})`,
      String.raw`\ell' = \ell\,e^{m-m'} + \textstyle\sum e^{\role{score}{s}-m'}`,
      String.raw`o' = o\,e^{m-m'} + \textstyle\sum e^{\role{score}{s}-m'}\,\role{v}{v}`,
    ],
    symbols: {
      block: 'scores',
      max: 'm',
      factor: 'factor',
      sum: 'ℓ',
      part: 'o',
      out: 'output',
    },
    held: 'Held now',
    nothing: 'Nothing: these scores are never computed.',
    state: 'Kept for each query',
    map: 'The T × T scores, by blocks: queries ↓ keys →',
    mapLabel: (done: number, skipped: number, ahead: number) =>
      `The scores as blocks: ${done} gone through, ${skipped} skipped, ${ahead} to come. Queries down, keys across.`,
    legend: { done: 'gone through', now: 'now', skipped: 'skipped', ahead: 'to come' },
    skipped: (skipped: number, all: number) =>
      `${skipped} of ${all} blocks are hidden whole, and skipped.`,
    memory: {
      caption: 'Bytes between the inputs and the output',
      full: 'Full: all scores at once',
      online: 'Online: a block of scores, and m, ℓ, factor a query',
    },
    cost: 'Online, all of it in blocks of 64 queries and 128 keys, as a call does it:',
    fullCost: 'Full, all scores at once:',
    ahead: 'Here the scores of one block will stand, and what is kept for each of its queries.',
    apart: (distance: string) =>
      `At most ${distance} from full attention, all T × T scores at once.`,
    hint: 'Point at any number, tap it, or reach it with the arrow keys. Numbers of Q, K and V can be changed.',
    edited: 'Undo changes of numbers',
    why: {
      given: 'An input: change it, and everything that follows from it changes.',
      score: 'Row of Q times row of K, divided by the root of the width.',
      hidden: 'The mask hides this key from this query.',
      max: 'The larger of what it was and the largest score of this block.',
      factor:
        'What was added up before counts by the old maximum: this makes it count by the new one.',
      factorFirst: 'Nothing was added up before: there is nothing to be scaled.',
      factorSame: 'The maximum did not grow: nothing changes.',
      sum: 'The old sum, rescaled, and the powers of this block.',
      part: 'The old output, rescaled, and the values of this block, weighted.',
      out: 'What has been added up, divided by the sum.',
      skipped: 'The block was skipped: what was, stays.',
    },
    question: (queries: number, keys: number, tokens: number, all: number) =>
      `Causal, ${tokens} tokens, blocks of ${queries} queries and ${keys} keys: how many of the ${all} blocks need not be touched at all?`,
    answer: (skipped: number, all: number) =>
      `${skipped} of ${all}: those that lie wholly above the diagonal.`,
  },

  linear: {
    title: 'Another order of multiplication',
    heading: 'Without softmax, brackets may move',
    lede: '(Q Kᵀ) V and Q (Kᵀ V) are the same matrix. The one makes T × T numbers on the way, the other d × d.',
    about:
      'Softmax stands between the two products, so brackets cannot move around it. Linear attention takes it away: each query and key goes through a feature map φ, and the weight of a key is φ(q) · φ(k), over their sum. With φ = elu + 1, which is x + 1 above zero and eˣ below, all weights are positive. It is a different attention: it cannot be as sharp as softmax, so look at the two weight matrices before you replace one by the other.',
    paper: 'Katharopoulos et al. 2020 (Transformers are RNNs).',
    note: 'Shapes: Q Kᵀ is T × T, Kᵀ V is d × dᵥ. It pays where T is larger than d, and not before.',
    symbols: { scores: 'QKᵀ', pairs: 'KᵀV', left: '(QKᵀ)V', right: 'Q(KᵀV)' },
    soft: 'softmax',
    features: 'linear',
    map: 'Feature map',
    maps: { elu_plus_one: 'elu + 1', identity: 'none' },
    same: (distance: string) =>
      `The two results are at most ${distance} apart: rounding, since sums are added up in another order.`,
    flops: (scores: string, values: string) =>
      `Scores first: ${scores} flop. Values first: ${values} flop.`,
    costs: { scores: 'Scores first, (Q Kᵀ) V:', values: 'Values first, Q (Kᵀ V):' },
    heading2: 'Weights: softmax against feature maps',
    wrong: (share: string) =>
      `The output made with them is ${share} of its own norm away from softmax’s.`,
    negative:
      'Without a feature map weights can be negative, and their sum near zero: then they are as large as they like.',
    why: {
      scores: 'Row of Q times row of K.',
      pairs: 'Column of K times column of V: all keys are added up at once.',
      left: 'Row of Q Kᵀ times column of V.',
      right: 'Row of Q times column of Kᵀ V.',
      soft: 'e to the score, over the sum of its row.',
      features: 'φ(q) · φ(k), over the sum of its row.',
    },
    hint: 'Point at any number.',
    question: (tokens: number, width: number) =>
      `One head, ${tokens} tokens, ${width} wide: which order takes fewer operations?`,
    choices: { scores: '(Q Kᵀ) V', values: 'Q (Kᵀ V)', alike: 'Both the same' },
    answer: (scores: string, values: string) =>
      `Scores first takes ${scores}, values first ${values}.`,
  },

  rank: {
    title: 'Low rank',
    heading: 'How much is there in a T × T matrix?',
    lede: 'A matrix of rank r can be written with r rows and r columns. Singular values say how much each of them carries.',
    about:
      'Linformer projects the T keys and values to a few mixtures of them, and attends to those. That is no loss where the weights are of low rank, and a great one where they are not. Which heads are? Look: a head that always looks at one place is of rank one; a head that looks at its neighbour moves everything by one, and needs them all.',
    paper:
      'Wang et al. 2020 (Linformer). Mixtures are learned there; here they are averages of neighbouring keys.',
    head: 'Head',
    tokens: 64,
    weights: 'weights',
    values: 'Share of the sum of singular values',
    valuesLabel: (n: number, head: string) =>
      `The singular values of the weights of head ${head}, and their running sum: the first ${n} carry 90 %.`,
    axes: { n: 'singular value', share: 'share', rank: 'mixtures of keys, R', wrong: 'distance' },
    lines: { share: 'each', sum: 'together' },
    ninety: (n: number, all: number) =>
      n === 1 ? `One of ${all} carries 90 %.` : `${n} of ${all} carry 90 %.`,
    pooled: 'What is lost with R averages of neighbouring keys',
    pooledRow: { rank: 'R', wrong: 'relative distance of the output' },
    costs: {
      full: 'Attention to all 64 keys:',
      lowRank: (rank: number) => `Attention to ${rank} averages of them, the averaging included:`,
    },
    question: (head: string, tokens: number) =>
      `Head “${head}”, ${tokens} words: how many of its ${tokens} singular values does it take to carry 90 %?`,
    choices: {
      one: 'one',
      few: 'about as many as there are different words',
      many: 'most of them',
    },
    answer: (n: number) => (n === 1 ? 'One is enough.' : `It takes ${n}.`),
    hint: 'Point at the picture for a weight.',
  },

  measured: {
    title: 'All of them, measured here',
    heading: 'Time, memory, error: on your machine',
    lede: 'Every method on the same random Q, K, V, one head, 64 wide, in a Worker of its own.',
    about:
      'Full, blocked and online give the same answer; online holds the least and is not the fastest until T is large, if ever, on a processor without fast memory of its own to save. Causal it skips half of the blocks. A window of 64 keys is sparse: exact for what it looks at. Linear and low-rank attention are something else than softmax attention, and the distance says how much. All have a size below which they lose.',
    moral:
      'You can tell now what each saves before it is tried: blocks save memory and nothing else, a mask that hides blocks saves work too, and linear or low-rank attention saves both, at large T, for another answer.',
    papers: 'Child et al. 2019 (sparse patterns), besides those above.',
    runners: {
      full: 'Full',
      blocked: 'Blocked',
      online: 'Online',
      window: 'Window',
      linear: 'Linear, Q(KᵀV)',
      linearScores: 'Linear, (QKᵀ)V',
      lowRank: 'Low rank, 64',
    } satisfies Record<AttentionRunner, string>,
    start: 'Measure',
    again: 'Measure again',
    cancel: 'Cancel',
    progress: 'Measured so far',
    upTo: 'Up to T',
    causal: 'Mask',
    causals: { none: 'None', causal: 'Causal' },
    guess: 'Your guess: linear is faster than the best exact one from T =',
    never: 'never',
    show: 'Show',
    shows: { time: 'Time', memory: 'Memory', error: 'Error' },
    y: {
      time: 'milliseconds',
      memory: 'bytes held between inputs and output, by the core’s count',
      error: 'distance from softmax attention, relative',
    },
    idle: 'Nothing has been measured yet. It takes some seconds and keeps one core busy.',
    beginning: 'Beginning …',
    running: (name: string, n: number) => `${name}, T = ${n}`,
    remaining: (seconds: number) => `about ${Math.max(1, Math.round(seconds))} s left`,
    cancelled: 'Cancelled. What was measured stays.',
    failed: (why: string) => `The measurement failed: ${why}`,
    wins: (t: number, guess: string) =>
      `Here linear attention is faster from T = ${t} on. ${guess}`,
    noWin: (t: number, guess: string) =>
      `Here linear attention is not faster than the best exact one up to T = ${t}. ${guess}`,
    guessed: { right: 'As you guessed.', wrong: (guess: string) => `You guessed ${guess}.` },
    online: (ratio: string, t: number) =>
      `At T = ${t} online takes ${ratio} × the time of full attention.`,
    skipped: 'A dash: left out, since it would have taken too long.',
    cost: (name: string, t: number) => `${name} attention, the fastest exact one at T = ${t}:`,
    noLowRank: 'Low rank has no causal mask: its mixtures hold future keys too.',
    spread: (least: string, most: string) => `${least} to ${most}`,
    axes: { n: 'T, tokens' },
    yAxis: { time: 'milliseconds', memory: 'bytes held', error: 'distance, relative' },
    chart: 'Time, memory or error against the number of tokens, both axes logarithmic.',
    table: { caption: 'All that was measured', runner: 'Method' },
    zero: 'nothing',
  },
} as const;
