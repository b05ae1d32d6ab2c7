// Softmax, e^x divided by its sum along an axis, and its logarithm.
import { define, integer, type Operation } from '../operation.js';
import { constant, count, plus, times } from '../sizes.js';
import { axisOf, fromFront, put, signed, upTo } from './common.js';

/** A power of e; omitted terms, written '...', stay as they are. */
const power = (number: string) => (number === '...' ? number : `e^${signed(number)}`);

const along = (call: 'softmax' | 'logSoftmax'): Operation => {
  const [isLog, name] = [call === 'logSoftmax', call === 'softmax' ? 'softmax' : 'log_softmax'];
  return define<{ axis: number }>({
    takes: ['x'],
    options: { axis: integer(-1) },
    shape: ([x], { axis }, fail) => {
      axisOf(axis, x!.length, fail);
      return x!;
    },
    run: (tril, [x], { options }) => tril[call](x!, options),
    // The cell itself, and then all cells of its row.
    cells: (index, { inputs: [x], options }) => {
      const axis = fromFront(options.axis, index.length);
      return [[[0, index]], ...upTo(x![axis]!).map((i) => [[0, put(index, axis, i)]] as const)];
    },
    why: ([[own] = [''], ...row]) => {
      const sum = row.map(([number]) => power(number!)).join(' + ');
      return isLog ? `${own} - log(${sum})` : `${power(own!)} / (${sum})`;
    },
    gradient: (tril, d, { result, options }) => [tril[`${call}Backward`](d, result, options)],
    numpy: ([x], { options }) => `${name}(${x}, axis=${options.axis})`,
    helper: isLog
      ? `def log_softmax(x, axis):
    x = x - x.max(axis=axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))`
      : `def softmax(x, axis):
    most = x.max(axis=axis, keepdims=True)
    e = np.exp(x - np.where(most == -np.inf, np.float32(0), most))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, np.float32(1), total)  # what sees nothing is 0`,
    pytorch: ([x], { options }) => `torch.${name}(${x}, dim=${options.axis})`,
    cpp: ([x], { options, output }, out) => {
      const axis = fromFront(options.axis, output.length) - output.length;
      return `${name}(${x}.view(), {.axis = ${axis}}, ${out}.view());`;
    },
    // A maximum, a difference, a power of e, a sum and a last step per element; for the logarithm, one logarithm per
    // row.
    flops: ({ options: { axis }, output }) => {
      const rows = output.filter((_, i) => i !== fromFront(axis, output.length));
      return plus(times(constant(5), count(output)), isLog ? count(rows) : constant(0));
    },
    tex: ([x]) => `\\mathrm{${isLog ? 'log\\,softmax' : 'softmax'}}\\left(${x}\\right)`,
  });
};

export const softmax = along('softmax');
export const logSoftmax = along('logSoftmax');
