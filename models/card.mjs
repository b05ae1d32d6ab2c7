// The tables of the model card, from the measurements.

import { naming } from './reading.mjs';

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const digits = (value, count = 3) => value.toFixed(count);

function losses({ gpt }) {
  const { others } = gpt;
  return table(
    ['of the validation texts', 'bits a byte'],
    [
      ['`xz -9e`, alone', digits(others.xz.alone)],
      ['`xz -9e`, behind the training texts', digits(others.xz.behindTraining)],
      ...Object.entries(others.ngrams).map(([n, bits]) => [
        `Kneser-Ney ${n}-grams of tokens`,
        digits(bits),
      ]),
      ['**the GPT**', `**${digits(gpt.bitsPerByte)}**`],
      ['the GPT, its matrices in q8_0', digits(gpt.q8_0.bitsPerByte)],
    ],
  );
}

/** The heads to name, and their scores; if there are none, the closest ones. */
function named(kind, scores) {
  const all = scores.flatMap((row, layer) => row.map((score, head) => [`${layer}.${head}`, score]));
  const sorted = all.sort((a, b) => b[1] - a[1]);
  const found = sorted.filter(([, score]) => score >= naming);
  const shown = ([head, score]) => `${head} (${digits(score)})`;
  if (found.length > 0) return `- ${kind}: ${found.map(shown).join(', ')}.`;
  return `- ${kind}: none. The highest score is ${digits(sorted[0][1])}, of ${sorted[0][0]}.`;
}

const namedHeads = ({ prefixMatching, previousToken, firstToken }) =>
  [
    named('Induction heads', prefixMatching),
    named('Previous-token heads', previousToken),
    named('Heads that look at the first token', firstToken),
  ].join('\n');

/** The scores of a head, for the kinds that have names. */
const scores = (heads, layer, head) =>
  ['prefixMatching', 'prefixMatchingInPassages', 'previousToken', 'firstToken'].map((name) =>
    digits(heads[name][layer][head]),
  );
const scoreNames = ['prefix matching', 'in passages', 'previous token', 'first token'];

function heads({ gpt }) {
  const rows = gpt.heads.prefixMatching.flatMap((row, layer) => [
    ...row.map((_, head) => [
      `${layer}.${head}`,
      ...scores(gpt.heads, layer, head),
      digits(gpt.ablation.heads[layer][head]),
    ]),
    [`layer ${layer}`, '', '', '', '', digits(gpt.ablation.layers[layer])],
  ]);
  const found = table(['head', ...scoreNames, 'loss without'], rows);
  return `${namedHeads(gpt.heads)}\n\n${found}`;
}

function births({ sibling }) {
  const best = (scores) => digits(Math.max(...scores.flat()));
  const costs = ({ first, second }) => [digits(first, 2), digits(second, 2)];
  return table(
    [
      ...['step', 'loss', 'previous token', 'prefix matching', 'in passages'],
      ...['random: first copy', 'second', 'passages: first copy', 'second'],
    ],
    sibling.checkpoints.map((each) => [
      ...[each.step, digits(each.loss)],
      best(each.previousToken),
      best(each.prefixMatching),
      best(each.prefixMatchingInPassages),
      ...costs(each.copies.random),
      ...costs(each.copies.passages),
    ]),
  );
}

/** The sibling's final heads, and the loss on second copies without each. */
function circuit({ sibling }) {
  const last = sibling.checkpoints.at(-1);
  const { ablation, secondCopies, farther } = sibling;
  const rows = last.prefixMatching.flatMap((row, layer) =>
    row.map((_, head) => [
      `${layer}.${head}`,
      ...scores(last, layer, head),
      digits(ablation.heads[layer][head]),
      digits(secondCopies.random.heads[layer][head], 2),
      digits(secondCopies.passages.heads[layer][head], 2),
    ]),
  );
  const { random, passages } = last.copies;
  const off = (...cells) => ['', '', '', '', '', ...cells.map((loss) => digits(loss, 2))];
  const none = ['none is off', ...off(random.second, passages.second)];
  const all = ['all induction heads', ...off(secondCopies.random.all, secondCopies.passages.all)];
  const found = table(
    ['head', ...scoreNames, 'loss without', 'second copy without: random', 'passages'],
    [none, ...rows, all],
  );
  const score = digits(Math.max(...farther.prefixMatching.flat()));
  const control = `${farther.period} tokens apart, farther than any two neighbouring copies in its training, the second copy of random tokens costs ${digits(farther.copies.second, 2)} nats a token, and the highest prefix matching is ${score}.`;
  return `${namedHeads(last)}\n\n${found}\n\n${control}`;
}

function neighbours({ vectors }) {
  const near = vectors.nearest.map(({ word, cosine }) => `_${word}_ ${digits(cosine, 2)}`);
  const means = vectors.senses.map(
    ({ sense, words, cosine }) => `${digits(cosine, 2)} with ${words.length} words of ${sense}`,
  );
  return `The words nearest to _${vectors.word}_, by cosine: ${near.join(', ')}. Its mean cosine is ${means.join(', and ')}.`;
}

const senses = ({ encoder }) =>
  table(
    ['behind layer', 'cosine within a sense', 'across', 'nearer to its own sense'],
    encoder.bank.layers.map(({ within, across, share }, layer) => [
      layer === 0 ? 'none: the token alone' : layer,
      ...[within, across].map((value) => digits(value)),
      `${(100 * share).toFixed(0)} %`,
    ]),
  );

const copies = ({ gpt: { copies } }) => {
  const costs = ({ first, second }) => `${digits(first)} and ${digits(second)}`;
  return `Nats a token on the first copy and on the second: ${costs(copies.random)} of random tokens, ${costs(copies.passages)} of passages.`;
};

/** The card with these tables between their marks, `<!-- NAME -->` and `<!-- end -->`. */
export function cardTables(text, description) {
  const parts = {
    losses,
    heads,
    copies,
    ...(description.sibling && { births, circuit }),
    ...(description.encoder && { senses }),
    ...(description.vectors && { neighbours }),
  };
  let card = text;
  for (const [name, make] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- end -->)`);
    if (!place.test(card)) throw new Error(`the card has no <!-- ${name} -->`);
    card = card.replace(place, (_, begin, end) => `${begin}\n\n${make(description)}\n\n${end}`);
  }
  return card;
}
