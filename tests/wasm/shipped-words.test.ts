// Statements of the page and the model card about the shipped models: every number is the measured one in
// description.json, comparison.json or the models' own files, rounded as in the sentence. The words around it are free.
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const json = (path: string) => JSON.parse(text(path));
/** Each paragraph on one line, since its line breaks do not matter. */
const paragraphsOf = (path: string) =>
  text(path)
    .split(/\n\s*\n/u)
    .map((one) => one.replace(/\s+/gu, ' '));
const numbersOf = (paragraph: string) => paragraph.match(/\d+(?:\.\d+)*/gu) ?? [];
/** The first paragraph that has these numbers in a row. */
function withNumbers(paragraphs: readonly string[], ...wanted: readonly (number | string)[]) {
  const list = ` ${wanted.join(' ')} `;
  const found = paragraphs.find((one) => ` ${numbersOf(one).join(' ')} `.includes(list));
  expect(found, `a paragraph with the numbers ${wanted.join(', ')}`).toBeDefined();
  return found!;
}

const { data, gpt, sibling, encoder, vectors } = json('models/description.json');
const page = paragraphsOf('web/src/texts/en/model.md');
const meaning = paragraphsOf('web/src/texts/en/meaning.md');
const paragraphs = paragraphsOf('models/README.md');
const card = paragraphs.join(' ');

type Scores = readonly (readonly number[])[];
/** Heads with a score above `least` and at most `most`, by their names on the page, which count from 1. */
const heads = (scores: Scores, least: number, most = Infinity) =>
  scores.flatMap((layer, l) =>
    layer.flatMap((score, h) => (score > least && score <= most ? [`${l + 1}.${h + 1}`] : [])),
  );
const most = (scores: Scores) => Math.max(...scores.flat());

/** The first two years in the paragraph that states the size of the speeches. */
function yearsOfCard() {
  const said = withNumbers(paragraphs, ((data.trainBytes + data.validationBytes) / 1e6).toFixed(1));
  const [from, to] = numbersOf(said).map(Number);
  return { from: from!, to: to! };
}

describe('chapter "Model"', () => {
  const { previousToken, prefixMatching } = gpt.heads as Record<string, Scores>;

  it('names the heads that look one back, and all of them', () => {
    const half = heads(previousToken!, 0.5);
    expect(half).toHaveLength(1); // "gives"
    const [block, head] = half[0]!.split('.');
    withNumbers(page, ...half, block!, head!, ...heads(previousToken!, 0.45, 0.5)); // "nearly half"
  });

  it('is right that none looks for what came after an earlier copy', () => {
    // With 40 tokens a uniform head would give each a fortieth.
    expect(most(prefixMatching!)).toBeLessThan(1 / 40);
    expect(gpt.copies.random.second).toBeGreaterThan(gpt.copies.random.first - 0.1);
  });

  it('says what is missed without a head, and without a block', () => {
    const { heads: rises, layers } = gpt.ablation as { heads: Scores; layers: number[] };
    const [, bound] = /\$e\^\{-([\d.]+)\}\$/u.exec(page.join(' '))!;
    const left = Math.round(100 * Math.exp(-Number(bound)));
    withNumbers(page, bound!, bound!, left, layers[0]!.toFixed(1));
    expect(most(rises)).toBeLessThanOrEqual(Number(bound));
    expect(most(rises)).toBeGreaterThan(Number(bound) - 0.01);
    expect(Math.min(...layers)).toBeGreaterThan(most(rises)); // "a whole block costs more"
    expect(Math.max(...layers.slice(1))).toBeLessThan(layers[0]! / 4); // "by far"
  });
});

describe('chapter "Meaning"', () => {
  it('is right about how the senses stand to each other', () => {
    const { layers, river, money } = encoder.bank;
    const [first, last] = [layers[0], layers.at(-1)];
    expect(Math.abs(first.within - first.across)).toBeLessThan(0.01); // "lie on one spot"
    expect(last.within - last.across).toBeGreaterThan(0.1); // "the dots part"
    expect(money).toBeGreaterThan(river); // "most banks hold money"
  });

  it('says how many years the speeches are of', () => {
    const { from, to } = yearsOfCard();
    withNumbers(meaning, to - from);
  });
});

describe('the card', () => {
  const bytes = (folder: string, names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(new URL(`models/${folder}/${name}`, root)).size, 0);
  /** The columns of a folder's line in the table. */
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
      const all = folder === 'sibling' ? [layers!, width!] : [layers!, count!, width!, context!];
      withNumbers([what!], ...all, vocabulary!);
      const weights = folder === 'sibling' ? 'step-0.safetensors' : 'model.safetensors';
      const found = bytes(folder, [weights]) / 1e6;
      expect(Math.abs(found - Number.parseFloat(size!)), folder).toBeLessThan(0.05);
    }
    // Two bytes per parameter, and a header.
    const parameters = (bytes('gpt', ['model.safetensors']) - 8192) / 2e6;
    withNumbers([line('gpt')[1]!], parameters.toFixed(2));
    const vectors = bytes('vectors', ['vectors.safetensors']) / 1e6;
    expect(Math.abs(vectors - Number.parseFloat(line('vectors')[2]!))).toBeLessThan(0.05);
  });

  it('says what the losses are', () => {
    withNumbers(paragraphs, encoder.validationLoss.toFixed(2));
    const [last] = text('models/gpt/curve.csv').trim().split('\n').slice(-1);
    const loss = Number(last!.split(',')[2]);
    withNumbers(paragraphs, loss.toFixed(2));
    expect(yearsOfCard()).toEqual({ from: 1790, to: 2021 });
    const { validationYears: years } = data;
    withNumbers(paragraphs, years[0], years[1], years.at(-1));
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
    withNumbers([line('sibling')[1]!], all.length);
  });

  it('says when heads of the sibling are born', () => {
    const at = (step: string | undefined) => all.find((one) => one.step === Number(step))!;
    // The only paragraph of the prose with two steps and no other number.
    const steps = paragraphs
      .map(numbersOf)
      .filter((one) => one.length === 2 && one.every((step) => at(step)));
    expect(steps).toHaveLength(1);
    const [from, to] = steps[0]!;
    // At first no head looks there: with 40 tokens a uniform head gives each a fortieth.
    expect(most(at(from).prefixMatching)).toBeLessThan(1 / 40);
    expect(most(at(from).previousToken)).toBeLessThan(0.2);
    expect(most(at(to).prefixMatching)).toBeGreaterThan(0.5);
    expect(most(at(to).previousToken)).toBeGreaterThan(0.4);
    // "falls suddenly": most of the second copy's final gain comes between these steps.
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
    /** One line of a list has all of them and nothing else. */
    const line = (scores: Scores) => {
      const found = named(scores).sort((a, b) => b.score - a.score);
      const list = found.map(({ layer, head, score }) => `${layer}.${head} (${score.toFixed(3)})`);
      expect(card).toContain(`: ${list.join(', ')}. `);
      return found;
    };
    const [previous, ...others] = line(end.previousToken);
    expect(others).toHaveLength(0);
    expect(previous!.layer).toBe(0);
    for (const { layer } of line(end.prefixMatching)) expect(layer).toBe(1);
    // "More than an even guess", "more than the first copy".
    const { random, passages } = end.copies;
    const without = secondCopies.random.heads[0][previous!.head];
    expect(Math.min(without, secondCopies.random.all)).toBeGreaterThan(Math.log(1024));
    expect(Math.min(secondCopies.passages.heads[0][previous!.head], secondCopies.passages.all)).toBeGreaterThan(passages.first); // prettier-ignore
    expect(random.second).toBeLessThan(0.25);
    expect(passages.second).toBeLessThan(passages.first / 3);
    expect(ablation.heads[0][previous!.head]).toBeGreaterThan(0);
    // The control: at a distance that neighbouring copies never had in training.
    expect(farther.copies.second).toBeLessThan(farther.copies.first / 2);
    withNumbers(paragraphs, farther.copies.second.toFixed(2));
  });

  it('says what the word vectors make of bank', () => {
    const { nearest, senses } = vectors;
    const [river, money] = senses as readonly { cosine: number; words: readonly string[] }[];
    const near = (nearest as { word: string; cosine: number }[]).map(
      ({ word, cosine }) => `_${word}_ ${cosine.toFixed(2)}`,
    );
    expect(card).toContain(` ${near.join(', ')}. `);
    expect(money!.cosine).toBeGreaterThan(1.5 * river!.cosine); // "it stands among money"
    const told = [river!, money!].flatMap(({ cosine, words }) => [cosine.toFixed(2), words.length]);
    withNumbers(paragraphs, ...told);
  });
});
