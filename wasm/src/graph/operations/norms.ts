// Norms: rows shifted to mean 0 and scaled to variance 1, or only scaled; then weighted and shifted, if weights are
// given.
import { define, number, type Operation } from '../operation.js';
import { constant, count, equal, plus, shapeText, times } from '../sizes.js';
import { atom, put, rowsOf, signed, upTo, viewed } from './common.js';

const norm = (call: 'layerNorm' | 'rmsNorm'): Operation => {
  const isCentred = call === 'layerNorm';
  const name = isCentred ? 'layer_norm' : 'rms_norm';
  return define<{ eps: number }>({
    takes: isCentred ? ['x', 'weight?', 'bias?'] : ['x', 'weight?'],
    options: { eps: number(1e-5) },
    shape: ([x, ...others], _, fail) => {
      for (const [i, each] of others.entries()) {
        if (each.length === 1 && equal(each[0]!, x!.at(-1)!)) continue;
        throw fail(i === 0 ? 'weight' : 'bias', `must be ${shapeText([x!.at(-1)!])}`);
      }
      return x!;
    },
    run: (tril, [x, weight, bias], { options }) =>
      tril[call](x!, { ...options, ...(weight && { weight }), ...(bias && { bias }) }),
    // The cell itself, the cells of weight and bias, and all cells of its row.
    cells: (index, { inputs: [x, ...others] }) => {
      const [last, width] = [index.length - 1, x!.at(-1)!];
      return [
        [[0, index], ...others.map((_, i) => [i + 1, [index[last]!]] as const)],
        ...upTo(width).map((i) => [[0, put(index, last, i)]] as const),
      ];
    },
    why: ([first = [], ...row], { options }) => {
      const [own = '', weight, bias] = first;
      const all = row.map(([each]) => each).join(', ');
      const above = isCentred ? `(${own} - mean(${all}))` : signed(own);
      const below = `sqrt(${isCentred ? 'variance' : 'mean_square'}(${all}) + ${options.eps})`;
      const scaled = weight === undefined ? '' : ` * ${signed(weight)}`;
      return `${above} / ${below}${scaled}${bias === undefined ? '' : ` + ${signed(bias)}`}`;
    },
    gradient: (tril, d, { tensors: [x, weight, bias], options }) => {
      const given = { ...options, ...(weight && { weight }) };
      if (!isCentred) {
        const { dX, dWeight } = tril.rmsNormBackward(d, x!, given);
        return weight ? [dX, dWeight] : [dX];
      }
      const { dX, dWeight, dBias } = tril.layerNormBackward(d, x!, given);
      return [dX, ...(weight ? [dWeight] : []), ...(bias ? [dBias] : [])];
    },
    numpy: (args, { options }) => `${name}(${[...args, `eps=${options.eps}`].join(', ')})`,
    helper: isCentred
      ? `def layer_norm(x, weight=1, bias=0, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * weight + bias`
      : `def rms_norm(x, weight=1, eps=1e-5):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * weight`,
    pytorch: ([x, weight, bias], { output, options }) => {
      if (isCentred) {
        const given = [weight, bias]
          .filter(Boolean)
          .map((each, i) => `${['weight', 'bias'][i]}=${each}`);
        const all = [x, `(${output.at(-1)},)`, ...given, `eps=${options.eps}`];
        return `torch.nn.functional.layer_norm(${all.join(', ')})`;
      }
      // rms_norm exists only since PyTorch 2.4.
      const own = atom(x!);
      const scale = `torch.rsqrt((${own} * ${own}).mean(-1, keepdim=True) + ${options.eps})`;
      return `${own} * ${scale}${weight === undefined ? '' : ` * ${atom(weight)}`}`;
    },
    cpp: ([x, weight, bias], { options, output }, out) => {
      const view = (buffer?: string) => (buffer === undefined ? '{}' : `${buffer}.view()`);
      const own = isCentred ? [view(weight), view(bias)] : [view(weight)];
      const [from, to] = [x!, out].map((buffer) => viewed(buffer, rowsOf(output)));
      return `${name}(${[from, ...own, `{.eps = ${options.eps}}`, to].join(', ')});`;
    },
    // The count of tril.cost.layerNorm: mean, difference, square and their sum, scale; and 5 per row.
    flops: ({ inputs: [, ...others], output }) => {
      const rows = count(output.slice(0, -1));
      const [each, row] = isCentred ? [6, 5] : [3, 4];
      return plus(times(constant(each + others.length), count(output)), times(constant(row), rows));
    },
    tex: ([x, ...others]) =>
      `\\mathrm{${isCentred ? 'layernorm' : 'rmsnorm'}}\\left(${[x, ...others].join(', ')}\\right)`,
  });
};

export const layerNorm = norm('layerNorm');
export const rmsNorm = norm('rmsNorm');
