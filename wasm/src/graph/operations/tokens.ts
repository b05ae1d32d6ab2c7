// Operations on integers: rows of a table by their ids, and the loss of predicting targets.
import type { Tensor } from '../../tensor.js';
import { define } from '../operation.js';
import { constant, count, equal, one, plus, shapeText, times } from '../sizes.js';
import { atom, product, rowsOf, signed, unravel, upTo, viewed } from './common.js';

/** The numbers of a tensor for calls that take integers; these calls check them. */
const wholes = (tensor: Tensor): readonly number[] => Array.from(tensor.read());

/** A C++ declaration of a vector of integers from a buffer. */
const whole = (buffer: string, count: number): string =>
  `std::vector<std::int32_t> ${buffer}_ids(${buffer}.data(), ${buffer}.data() + ${count});`;

/** Row `ids[i]` of a table for every id. */
export const embedding = define<object>({
  takes: ['ids', 'table'],
  options: {},
  shape: ([ids, table], _, fail) => {
    if (table!.length !== 2) throw fail('table', 'must have two axes');
    return [...ids!, table![1]!];
  },
  run: (tril, [ids, table], { output }) =>
    tril.reshape(tril.embedding(wholes(ids!), table!), output),
  cells: (index, _, read) => {
    const id = [0, index.slice(0, -1)] as const;
    return [[[1, [read(id), index.at(-1)!]], id]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { tensors: [ids, table] }) => {
    const [rows, width] = [ids!.size, table!.shape[1]!];
    const flat = tril.reshape(d, [rows, width]);
    const numbers = wholes(ids!);
    return [undefined, tril.embeddingBackward(flat, numbers, table!.shape[0]!)];
  },
  numpy: ([ids, table]) => `${atom(table!)}[${atom(ids!)}.astype(int)]`,
  pytorch: ([ids, table]) => `torch.nn.functional.embedding(${atom(ids!)}.long(), ${table})`,
  cpp: ([ids, table], { inputs, output }, out) => {
    const size = product(inputs[0]!);
    const views = [
      `{${ids}_ids.data(), {${size}}}`,
      `${table}.view()`,
      viewed(out, rowsOf(output)),
    ];
    return `{\n  ${whole(ids!, size)}\n  embedding(${views.join(', ')});\n}`;
  },
  flops: () => constant(0),
  tex: ([ids, table]) => `${table}_{${ids}}`,
});

/** Cross-entropy: the mean, over rows of logits, of -log of the probability that softmax gives the row's target. */
export const crossEntropy = define<object>({
  takes: ['logits', 'targets'],
  options: {},
  shape: ([logits, targets], _, fail) => {
    const rows = logits!.slice(0, -1);
    const fits = targets!.length === rows.length && rows.every((n, i) => equal(n, targets![i]!));
    if (!fits) throw fail('targets', `must be ${shapeText(rows)}, one for each row`);
    return [one];
  },
  run: (tril, [logits, targets]) =>
    tril.tensor([tril.crossEntropy(logits!, wholes(targets!)).loss]),
  // For each target that counts: its logit, the target itself, and all logits of its row.
  cells: (_, { inputs: [logits, targets] }, read) =>
    upTo(product(targets!)).flatMap((n) => {
      const row = unravel(targets!, n);
      const target = read([1, row]);
      if (target < 0) return [];
      const all = upTo(logits!.at(-1)!).map((k) => [0, [...row, k]] as const);
      return [[[0, [...row, target]], [1, row], ...all] as const];
    }),
  why: (terms) => {
    const losses = terms.map(([own = '', , ...row]) =>
      own === '...'
        ? own
        : `log(${row.map((each) => `e^${signed(each)}`).join(' + ')}) - ${signed(own)}`,
    );
    return losses.length > 0 ? `mean(${losses.join(', ')})` : '0';
  },
  gradient: (tril, d, { tensors: [logits, targets] }) => {
    const numbers = wholes(targets!);
    const { dLogits } = tril.crossEntropy(logits!, numbers, { gradient: true });
    return [tril.multiply(dLogits, d), undefined];
  },
  numpy: ([logits, targets]) => `cross_entropy(${logits}, ${targets})`,
  helper: `def cross_entropy(logits, targets):
    rows, targets = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1).astype(int)
    rows = rows - rows.max(axis=-1, keepdims=True)
    losses = np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(len(rows)), targets]
    return losses[targets >= 0].mean().reshape(1)`,
  pytorch: ([logits, targets], { inputs }) => {
    const rows = `${atom(logits!)}.reshape(-1, ${inputs[0]!.at(-1)})`;
    const all = `${rows}, ${atom(targets!)}.reshape(-1).long()`;
    return `torch.nn.functional.cross_entropy(${all}).reshape(1)`;
  },
  cpp: ([logits, targets], { inputs }, out) => {
    const size = product(inputs[1]!);
    const ids = `{${targets}_ids.data(), {${size}}}`;
    const call = `cross_entropy(${viewed(logits!, rowsOf(inputs[0]!))}, ${ids}, {}, {})`;
    return `{\n  ${whole(targets!, size)}\n  ${out}.data()[0] = static_cast<float>(${call}.loss);\n}`;
  },
  // A comparison, a difference, a power of e and a sum per logit; a logarithm, a difference and a sum per row; and the
  // mean.
  flops: ({ inputs: [logits, targets] }) =>
    plus(times(constant(4), count(logits!)), times(constant(3), count(targets!)), one),
  tex: ([logits, targets]) => `\\mathrm{crossentropy}\\left(${logits}, ${targets}\\right)`,
});
