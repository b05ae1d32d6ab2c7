// The tour's computation, implemented again in double precision: cards of Hadamard rows, a question, scores, shares.
export const sentence = 'the cat saw the dog chase the cat'.split(' ');
export const vocabulary = [...new Set(sentence)];
const width = 8;

/** The rows of a Hadamard matrix, built by doubling, without the first. */
function rows(): number[][] {
  let all = [[1]];
  while (all.length < width) {
    all = [
      ...all.map((row) => [...row, ...row]),
      ...all.map((row) => [...row, ...row.map((one) => -one)]),
    ];
  }
  return all.slice(1);
}

export const softmax = (scores: readonly number[]): number[] => {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
};

/** The sum of each word's shares over its positions. */
export const byWord = (shares: readonly number[]): number[] =>
  vocabulary.map((word) =>
    shares.reduce((sum, share, place) => sum + (sentence[place] === word ? share : 0), 0),
  );

export function storyOf(strict: number) {
  const vectors = rows();
  const of = (place: number) => vectors[vocabulary.indexOf(sentence[place])];
  const question = of(sentence.length - 1).map((entry) => strict * entry);
  const cards = sentence.map((_, place) =>
    place === 0 ? Array<number>(width).fill(0) : of(place - 1),
  );
  const products = cards.map((card) => card.map((entry, i) => entry * question[i]));
  const scores = products.map((row) => row.reduce((a, b) => a + b));
  const scaled = scores.map((score) => score / Math.sqrt(width));
  const shares = softmax(scaled);
  const all = scaled.reduce((sum, score) => sum + Math.exp(score), 0);
  return { question, cards, products, scores, shares, all, chances: byWord(shares) };
}
