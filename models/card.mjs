// The tables of the card, from what was measured.

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
    ],
  );
}

function heads({ gpt }) {
  const rows = gpt.heads.prefixMatching.flatMap((scores, layer) => [
    ...scores.map((score, head) => [
      `${layer}.${head}`,
      digits(score),
      digits(gpt.heads.previousToken[layer][head]),
      digits(gpt.heads.firstToken[layer][head]),
      digits(gpt.ablation.heads[layer][head]),
    ]),
    [`layer ${layer}`, '', '', '', digits(gpt.ablation.layers[layer])],
  ]);
  return table(['head', 'prefix matching', 'previous token', 'first token', 'loss without'], rows);
}

function births({ sibling }) {
  const best = (scores) => Math.max(...scores.flat());
  return table(
    ['step', 'loss', 'prefix matching', 'previous token', 'first copy', 'second copy'],
    sibling.checkpoints.map((each) => [
      each.step,
      digits(each.loss),
      digits(best(each.prefixMatching)),
      digits(best(each.previousToken)),
      digits(each.copies.first),
      digits(each.copies.second),
    ]),
  );
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

const copies = ({ gpt }) =>
  `${digits(gpt.copies.first)} nats a token on the first copy, ${digits(gpt.copies.second)} on the second`;

/** The card with these tables between their marks, `<!-- NAME -->` and `<!-- end -->`. */
export function cardTables(text, description) {
  const parts = {
    losses,
    heads,
    copies,
    ...(description.sibling && { births }),
    ...(description.encoder && { senses }),
  };
  let card = text;
  for (const [name, make] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- end -->)`);
    if (!place.test(card)) throw new Error(`the card has no <!-- ${name} -->`);
    card = card.replace(place, (_, begin, end) => `${begin}\n\n${make(description)}\n\n${end}`);
  }
  return card;
}
