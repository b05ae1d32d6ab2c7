// PyTorch's functions.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { arrayOf } from '../arrays/make.js';
import { concatenate, stack } from '../arrays/moves.js';
import { einsum } from '../arrays/products.js';
import type { Machine } from '../language/machine.js';
import { truth } from '../language/comparisons.js';
import { type Args, define, defineTorch, integer, integers } from '../language/signature.js';
import {
  Builtin,
  Float,
  isRow,
  List,
  Module,
  Tuple,
  type Value,
  isNumber,
} from '../language/values.js';
import { choose } from './array-calls.js';
import { arrayAttribute } from './attributes.js';
import { multinomial } from './drawn-places.js';
import {
  arange,
  arraysOf,
  dtypeOf,
  dtypes,
  eye,
  filled,
  filledLike,
  limitsOf,
  linspace,
  random,
  randomIntegers,
  setSeed,
  tensorOf,
} from './make-arrays.js';
import { printOptions, printSignatures } from './printing.js';

/** Functions that are methods of their first argument. */
const methods =
  `sum mean any all max min amax amin var std argmax argmin cumsum prod reshape transpose swapaxes permute squeeze unsqueeze
flatten softmax log_softmax masked_fill tril triu matmul mm bmm dot split chunk unbind clamp pow add sub mul div eq ne lt le gt ge exp
log sqrt tanh relu abs neg square sigmoid numel round norm repeat_interleave sort clone t nonzero detach ravel clip gather maximum
minimum outer equal allclose isclose logical_not logical_and logical_or logical_xor bitwise_not isnan isinf isfinite rsqrt reciprocal
sin cos tan floor ceil sign log2 log10 log1p expm1 flip roll topk argsort logsumexp nan_to_num diag diagonal trace`.split(
    /\s+/,
  );

export function torchModule(machine: Machine): Map<string, Value> {
  const names = new Map<string, Value>();
  const tensor = (value: Value) =>
    value instanceof ArrayValue ? value : arrayOf(machine.recorder, value, 'torch');
  const asTorch = (x: ArrayValue) =>
    x.library === 'torch' ? x : arrayOf(machine.recorder, x, 'torch');
  const add = (name: string, signature: string, call: (args: Args) => Value) => {
    const inner = defineTorch(name, signature, call);
    const isKept = ([key]: readonly [string, Value]) => key !== 'device' && key !== 'requires_grad';
    names.set(
      name,
      new Builtin(name, (args, named) => inner.call(args, new Map([...named].filter(isKept)))),
    );
  };

  add('tensor', 'data, dtype=None', ({ data, dtype }) => {
    const made = arrayOf(machine.recorder, data!, 'torch', dtypeOf(dtype!, 'torch'));
    return made.copy();
  });
  names.set('as_tensor', names.get('tensor')!);
  add('from_numpy', 'ndarray', ({ ndarray }) => arrayOf(machine.recorder, ndarray!, 'torch'));
  names.set(
    'Tensor',
    new Builtin(
      'torch.Tensor',
      (args) =>
        typeof args[0] === 'number'
          ? filled(machine, new List([...args]), new Float(0), null, 'torch')
          : arrayOf(machine.recorder, args[0] ?? new List([]), 'torch', 'float32'),
      (value) => value instanceof ArrayValue && value.library === 'torch',
    ),
  );
  for (const [name, value] of [
    ['zeros', 0],
    ['ones', 1],
    ['empty', 0],
  ] as const) {
    add(name, '*shape, dtype=None', ({ shape, dtype }) =>
      filled(machine, new List(integers(shape!, name)), new Float(value), dtype!, 'torch'),
    );
    add(`${name}_like`, 'input, dtype=None', ({ input, dtype }) =>
      filledLike(machine, tensorOf(`${name}_like`, input!), value, dtype!),
    );
  }
  add('full', 'size, fill_value, dtype=None', ({ size, fill_value, dtype }) =>
    filled(machine, size!, fill_value!, dtype!, 'torch'),
  );
  add('full_like', 'input, fill_value, dtype=None', ({ input, fill_value, dtype }) =>
    filledLike(machine, tensorOf('full_like', input!), fill_value!, dtype!),
  );
  add('arange', '*bounds, dtype=None', ({ bounds, dtype }) =>
    arange(machine, (bounds as Tuple).items, dtype!, 'torch'),
  );
  add('linspace', 'start, end, steps', ({ start, end, steps }) =>
    linspace(machine, start!, end!, steps!, 'torch'),
  );
  add('eye', 'n, m=None, dtype=None', ({ n, m, dtype }) =>
    eye(machine, n!, m!, 0, dtype!, 'torch'),
  );
  const shapes = (shape: Value) => integers(shape, 'size');
  add('randn', '*size, generator=None', ({ size }) =>
    random(machine, shapes(size!), 'normal', 'torch'),
  );
  add('rand', '*size, generator=None', ({ size }) =>
    random(machine, shapes(size!), 'uniform', 'torch'),
  );
  for (const [name, kind] of [
    ['randn_like', 'normal'],
    ['rand_like', 'uniform'],
  ] as const) {
    add(name, 'input', ({ input }) => random(machine, tensorOf(name, input!).shape, kind, 'torch'));
  }
  add('randint', 'low, high, size=None', ({ low, high, size }) => {
    const isShort = size === null;
    return randomIntegers(
      machine,
      isShort ? 0 : low!,
      isShort ? low! : high!,
      isShort ? high! : size!,
      'torch',
    );
  });
  add(
    'multinomial',
    'input, num_samples, replacement=False, generator=None',
    ({ input, num_samples: count, replacement }) =>
      multinomial(machine, tensorOf('multinomial', input!), {
        count: integer(count!, 'num_samples'),
        replacement: truth(replacement!),
      }),
  );
  add('manual_seed', 'seed', ({ seed }) => setSeed(machine, seed!));

  for (const name of methods) {
    names.set(
      name,
      new Builtin(name, (args, named) => {
        const [first = named.get('input') ?? null, ...rest] = args;
        const others = new Map([...named].filter(([key]) => key !== 'input'));
        return machine.call(arrayAttribute(asTorch(tensorOf(name, first)), name), rest, others);
      }),
    );
  }
  for (const name of ['cat', 'concat', 'concatenate']) {
    add(name, 'tensors, axis=0', ({ tensors, axis }) =>
      concatenate(arraysOf(machine, tensors!, 'torch'), integer(axis!, 'dim')),
    );
  }
  add('stack', 'tensors, axis=0', ({ tensors, axis }) =>
    stack(arraysOf(machine, tensors!, 'torch'), integer(axis!, 'dim')),
  );
  add('where', 'condition, x, y', ({ condition, x, y }) =>
    choose(
      tensorOf('where', condition!),
      isNumber(x!) ? x : tensor(x!),
      isNumber(y!) ? y : tensor(y!),
    ),
  );
  add('einsum', 'equation, *operands', ({ equation, operands }) => {
    const all = (operands as Tuple).items;
    const given = isRow(all[0]!) ? all[0].items : all;
    return einsum(
      String(equation),
      given.map((each) => tensorOf('einsum', each)),
    );
  });
  add('finfo', 'dtype=None', ({ dtype }) => limitsOf(dtype!, 'torch'));
  add('is_tensor', 'obj', ({ obj }) => obj instanceof ArrayValue && obj.library === 'torch');
  // Gradient modes and devices have no effect here.
  add('no_grad', '', () => null);
  add('set_printoptions', printSignatures.torch, printOptions(machine, 'torch'));
  add('device', 'name', ({ name }) => name!);
  for (const [name, dtype] of Object.entries(dtypes))
    if (name !== 'bool_') names.set(name, new Dtype(dtype.name, 'torch'));
  names.set('float', new Dtype('float32', 'torch'));
  names.set('int', new Dtype('int64', 'torch'));
  for (const [name, value] of Object.entries({ inf: Infinity, nan: NaN, pi: Math.PI }))
    names.set(name, new Float(value));
  const no = define('is_available', '', () => false);
  names.set('cuda', new Module('torch.cuda', new Map([['is_available', no]])));
  return names;
}
