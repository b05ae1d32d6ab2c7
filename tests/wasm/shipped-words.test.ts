// What the page and the card say in words of the shipped models: every number is the one that was measured, in description.json,
// comparison.json and the models' own files, written as the sentence rounds it.
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const json = (path: string) => JSON.parse(text(path));
/** On one line: where lines end is nobody's. */
const prose = (path: string) => text(path).replace(/\s+/gu, ' ');

const { data, gpt, sibling, encoder, vectors } = json('models/description.json');
const page = prose('web/src/texts/en/model.md');
const meaning = prose('web/src/texts/en/meaning.md');
const card = prose('models/README.md');

type Scores = readonly (readonly number[])[];
/** Heads by the names that the page gives them, from 1, whose score is above `least` and at most `most`. */
const heads = (scores: Scores, least: number, most = Infinity) =>
  scores.flatMap((layer, l) =>
    layer.flatMap((score, h) => (score > least && score <= most ? [`${l + 1}.${h + 1}`] : [])),
  );
const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
const most = (scores: Scores) => Math.max(...scores.flat());

describe('chapter "Model"', () => {
  const { previousToken, prefixMatching } = gpt.heads as Record<string, Scores>;

  it('names the heads that look one back, and all of them', () => {
    const half = heads(previousToken!, 0.5);
    expect(half).toHaveLength(1); // "gives"
    const [block, head] = half[0]!.split('.');
    const said = `${listed(half)} (block ${block}, head ${head}) gives more than half of its weight to the token before, and ${listed(heads(previousToken!, 0.45, 0.5))} nearly half.`;
    expect(page).toContain(said);
  });

  it('says that none looks for what came after an earlier copy', () => {
    expect(page).toContain(
      'No head looks for the token after an earlier copy of the current one, so this model has no induction head.',
    );
    // Of 40 tokens each would have a fortieth of an even look.
    expect(most(prefixMatching!)).toBeLessThan(1 / 40);
    expect(gpt.copies.random.second).toBeGreaterThan(gpt.copies.random.first - 0.1);
  });

  it('says what is missed without a head, and without a block', () => {
    const { heads: rises, layers } = gpt.ablation as { heads: Scores; layers: number[] };
    const [, bound] = /taking away a single head raises the loss by at most ([\d.]+) a token/u.exec(
      page,
    )!;
    const left = Math.round(100 * Math.exp(-Number(bound)));
    expect(page).toContain(`keeps at least $e^{-${bound}}$ of its probability, or ${left} %.`);
    expect(most(rises)).toBeLessThanOrEqual(Number(bound));
    expect(most(rises)).toBeGreaterThan(Number(bound) - 0.01);
    expect(Math.min(...layers)).toBeGreaterThan(most(rises)); // "a whole block costs more"
    expect(Math.max(...layers.slice(1))).toBeLessThan(layers[0]! / 4); // "by far"
    expect(page).toContain(`The first costs by far the most, ${layers[0]!.toFixed(1)}:`);
  });
});

describe('chapter "Meaning"', () => {
  it('says how the senses stand to each other', () => {
    const { layers, river, money } = encoder.bank;
    const [first, last] = [layers[0], layers.at(-1)];
    expect(meaning).toContain('at depth 0 nearly all dots, one for each sentence, lie on one spot');
    expect(Math.abs(first.within - first.across)).toBeLessThan(0.01);
    expect(last.within - last.across).toBeGreaterThan(0.1); // "the dots part"
    expect(meaning).toContain('In these speeches most banks hold money');
    expect(money).toBeGreaterThan(river);
  });

  it('says how many years the speeches are of', () => {
    const [, from, to] = /State of the Union addresses from (\d+) to (\d+)/u.exec(card)!;
    expect(meaning).toContain(`${Number(to) - Number(from)} years of speeches`);
  });
});

describe('the card', () => {
  const bytes = (folder: string, names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(new URL(`models/${folder}/${name}`, root)).size, 0);
  /** Of the table of folders: what a line says. */
  const line = (folder: string) =>
    new RegExp(`\\| \`${folder}/\` \\|([^|]*)\\|([^|]*)\\|`, 'u').exec(card)!;

  it('says how large the models are', () => {
    const sizes = (config: Record<string, number>) => ({
      layers: config['num_hidden_layers'],
      heads: config['num_attention_heads'],
      width: config['hidden_size'],
      context: config['max_position_embeddings'],
      vocabulary: config['vocab_size'],
    });
    for (const folder of ['gpt', 'sibling', 'encoder']) {
      const { layers, heads: count, width, context, vocabulary } = sizes(json(`models/${folder}/config.json`)); // prettier-ignore
      const [, what, size] = line(folder);
      expect(what).toContain(`${layers} layers`);
      expect(what).toContain(`${width} wide`);
      expect(what).toContain(`${vocabulary} tokens`);
      if (folder !== 'sibling') expect(what).toContain(`${count} heads`);
      if (folder !== 'sibling') expect(what).toContain(`context ${context}`);
      const weights = folder === 'sibling' ? 'step-0.safetensors' : 'model.safetensors';
      const found = bytes(folder, [weights]) / 1e6;
      expect(Math.abs(found - Number.parseFloat(size!)), folder).toBeLessThan(0.05);
    }
    // Two bytes each, and a header.
    const parameters = (bytes('gpt', ['model.safetensors']) - 8192) / 2e6;
    expect(line('gpt')[1]).toContain(`${parameters.toFixed(2)} M parameters`);
    const vectors = bytes('vectors', ['vectors.safetensors']) / 1e6;
    expect(Math.abs(vectors - Number.parseFloat(line('vectors')[2]!))).toBeLessThan(0.05);
  });

  it('says what the losses are', () => {
    expect(card).toContain(`Hidden tokens cost it ${encoder.validationLoss.toFixed(2)} nats each`);
    const [last] = text('models/gpt/curve.csv').trim().split('\n').slice(-1);
    const loss = Number(last!.split(',')[2]);
    expect(card).toContain(`on the validation texts ${loss.toFixed(2)}.`);
    const megabytes = (data.trainBytes + data.validationBytes) / 1e6;
    expect(card).toContain(`from 1790 to 2021, ${megabytes.toFixed(1)} MB`);
    const { validationYears: years } = data;
    const ends = [years[0], years[1], years.at(-1)];
    expect(card).toContain(`(${ends[0]}, ${ends[1]} and so on to ${ends[2]})`);
    const { ngrams, xz } = json('models/comparison.json');
    const others = [...Object.values<number>(ngrams), ...Object.values<number>(xz)];
    expect(gpt.bitsPerByte).toBeLessThan(Math.min(...others)); // "better than the table of n-grams"
    expect(card).toContain(`**${gpt.bitsPerByte.toFixed(3)}**`);
    for (const other of others) expect(card).toContain(`| ${other.toFixed(3)} |`);
  });

  interface Copies {
    readonly first: number;
    readonly second: number;
  }
  interface Checkpoint {
    readonly step: number;
    readonly copies: { readonly random: Copies; readonly passages: Copies };
    readonly previousToken: Scores;
    readonly prefixMatching: Scores;
    readonly prefixMatchingInPassages: Scores;
  }
  const all = sibling.checkpoints as readonly Checkpoint[];
  const end = all.at(-1)!;

  it('says how the sibling was trained', () => {
    const { repeats, random } = sibling.share;
    expect([repeats, random]).toEqual([0.5, 0.5]);
    expect(card).toContain(
      'half of its windows are of the texts, and in the other half something repeats',
    );
    expect(card).toContain('random tokens in half of them');
    expect(card).toContain(`kept after ${all.length} of its steps`);
  });

  it('says when heads of the sibling are born', () => {
    const [, from, to] = /Between the steps (\d+) and (\d+) both are born/u.exec(card)!;
    const at = (step: string | undefined) => all.find((one) => one.step === Number(step))!;
    // At first nobody looks there: each of 40 tokens has a fortieth of an even look.
    expect(most(at(from).prefixMatching)).toBeLessThan(1 / 40);
    expect(most(at(from).previousToken)).toBeLessThan(0.2);
    expect(most(at(to).prefixMatching)).toBeGreaterThan(0.5);
    expect(most(at(to).previousToken)).toBeGreaterThan(0.4);
    // "falls suddenly": there, most of what the second copy comes to cost less.
    const gain = ({ copies }: Checkpoint) => copies.random.first - copies.random.second;
    expect(gain(at(from))).toBeLessThan(gain(at(to)) / 5);
    expect(gain(end)).toBeGreaterThan(gain(at(to)));
  });

  it('says which heads of the sibling copy, and that nothing is copied without them', () => {
    const { ablation, secondCopies, farther } = sibling;
    const named = (scores: Scores) =>
      scores.flatMap((row, layer) =>
        row.flatMap((score, head) => (score >= 0.3 ? [{ layer, head, score }] : [])),
      );
    const line = (kind: string, scores: Scores) => {
      const found = named(scores).sort((a, b) => b.score - a.score);
      const list = found.map(({ layer, head, score }) => `${layer}.${head} (${score.toFixed(3)})`);
      expect(card).toContain(`- ${kind}: ${list.join(', ')}.`);
      return found;
    };
    const [previous, ...others] = line('Previous-token heads', end.previousToken);
    expect(others).toHaveLength(0);
    expect(previous!.layer).toBe(0);
    for (const { layer } of line('Induction heads', end.prefixMatching)) expect(layer).toBe(1);
    // "More than an even guess", "more than the first copy".
    const { random, passages } = end.copies;
    const without = secondCopies.random.heads[0][previous!.head];
    expect(Math.min(without, secondCopies.random.all)).toBeGreaterThan(Math.log(1024));
    expect(Math.min(secondCopies.passages.heads[0][previous!.head], secondCopies.passages.all)).toBeGreaterThan(passages.first); // prettier-ignore
    expect(random.second).toBeLessThan(0.25);
    expect(passages.second).toBeLessThan(passages.first / 3);
    expect(ablation.heads[0][previous!.head]).toBeGreaterThan(0);
    // The control: at a distance that training never had between neighbouring copies.
    expect(farther.copies.second).toBeLessThan(farther.copies.first / 2);
    expect(card).toContain(
      `costs ${farther.copies.second.toFixed(2)} nats a token, and the highest`,
    );
  });

  it('says what the word vectors make of bank', () => {
    const { nearest, senses } = vectors;
    const [river, money] = senses as readonly { cosine: number; words: readonly string[] }[];
    const near = (nearest as { word: string; cosine: number }[]).map(
      ({ word, cosine }) => `_${word}_ ${cosine.toFixed(2)}`,
    );
    expect(card).toContain(`nearest to _bank_, by cosine: ${near.join(', ')}.`);
    expect(card).toContain('it stands among money');
    expect(money!.cosine).toBeGreaterThan(1.5 * river!.cosine);
    const told = (sense: string, { cosine, words }: typeof river & object) =>
      `${cosine.toFixed(2)} with ${words.length} words of ${sense}`;
    expect(card).toContain(
      `mean cosine is ${told('river', river!)}, and ${told('money', money!)}.`,
    );
  });
});
