// torch.nn and torch.nn.functional, as far as notebooks on attention need them.
import { ArrayValue, type DtypeName } from '../arrays/array.js';
import { arithmetic, reshaped, unary } from '../arrays/arithmetic.js';
import { transpose, upTo } from '../arrays/moves.js';
import { matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { define, number, whole, wholes, type Args } from '../language/signature.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Float,
  Instance,
  List,
  Module,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';
import { maskedFill } from './attributes.js';
import { random, tensorOf } from './numpy-make.js';

/** `x W^T + b` */
export function linear(
  x: ArrayValue,
  weight: ArrayValue,
  bias: ArrayValue | undefined,
): ArrayValue {
  const [width, wanted] = [x.shape.at(-1)!, weight.shape.at(-1)!];
  if (width !== wanted) {
    const rows = x.shape.slice(0, -1).reduce((a, b) => a * b, 1);
    raise(
      'RuntimeError',
      `mat1 and mat2 shapes cannot be multiplied (${rows}x${width} and ${wanted}x${weight.shape[0]})`,
    );
  }
  const { recorder } = x;
  const inputs = [
    reshaped(recorder, x.recorded, x.shape),
    weight.recorded,
    ...(bias ? [bias.recorded] : []),
  ];
  const shape = [...x.shape.slice(0, -1), weight.shape[0]!];
  return x.like(reshaped(recorder, recorder.make('linear', inputs), shape), shape, 'float32');
}

function layerNorm(
  x: ArrayValue,
  sizes: readonly number[],
  weight: ArrayValue | undefined,
  bias: ArrayValue | undefined,
  eps: number,
): ArrayValue {
  const axes = upTo(sizes.length).map((i) => i - sizes.length);
  if (axes.some((axis, i) => x.shape.at(axis) !== sizes[i])) {
    const text = `Given normalized_shape=[${sizes.join(', ')}], expected input with shape [*, ${sizes.join(', ')}], but got input of size[${x.shape.join(', ')}]`;
    raise('RuntimeError', text);
  }
  if (sizes.length === 1) {
    const inputs = [x, weight, weight && bias].flatMap((each) => (each ? [each.recorded] : []));
    return x.like(x.recorder.make('layerNorm', inputs, { eps }), x.shape);
  }
  const by = { axes, keepDims: true };
  const difference = arithmetic('-', x, reduce.mean(x, by));
  const scaled = arithmetic(
    '/',
    difference,
    unary('sqrt', arithmetic('+', reduce.variance(x, by, 0), new Float(eps))),
  );
  const weighted = weight ? arithmetic('*', scaled, weight) : scaled;
  return bias ? arithmetic('+', weighted, bias) : weighted;
}

function embedding(ids: ArrayValue, table: ArrayValue): ArrayValue {
  if (ids.dtype !== 'int64')
    raise(
      'RuntimeError',
      `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)`,
    );
  if (ids.numbers().some((id) => id < 0 || id >= table.shape[0]!))
    raise('IndexError', 'index out of range in self');
  const shape = [...ids.shape, table.shape[1]!];
  const { recorder } = table;
  return table.like(
    reshaped(recorder, recorder.make('embedding', [ids.recorded, table.recorded]), shape),
    shape,
  );
}

function crossEntropy(logits: ArrayValue, targets: ArrayValue): ArrayValue {
  if (logits.rank !== 2 || targets.rank !== 1) {
    raise(
      logits.rank < 2 ? 'ValueError' : 'RuntimeError',
      'cross_entropy takes logits [N, V] and targets [N] here; reshape with view(-1, V) and view(-1)',
    );
  }
  if (logits.shape[0] !== targets.shape[0]) {
    raise(
      'ValueError',
      `Expected input batch_size (${logits.shape[0]}) to match target batch_size (${targets.shape[0]}).`,
    );
  }
  return logits.like(logits.recorder.make('crossEntropy', [logits.recorded, targets.recorded]), []);
}

/** Attention of PyTorch's call, in its small parts, so that each can be asked why. */
function attention(
  q: ArrayValue,
  k: ArrayValue,
  v: ArrayValue,
  mask: Value,
  causal: boolean,
): ArrayValue {
  const turned = transpose(k, [...upTo(k.rank - 2), k.rank - 1, k.rank - 2]);
  let scores = arithmetic('/', matmul(q, turned), new Float(Math.sqrt(q.shape.at(-1)!)));
  if (causal) scores = scores.like(scores.recorder.make('mask', [scores.recorded]), scores.shape);
  if (mask instanceof ArrayValue) {
    if (mask.dtype !== 'bool') scores = arithmetic('+', scores, mask);
    else scores = maskedFill(scores, arithmetic('==', mask, false), new Float(-Infinity));
  }
  return matmul(reduce.softmax(scores, -1), v);
}

const optional = (value: Value | undefined): ArrayValue | undefined =>
  value instanceof ArrayValue ? value : undefined;

export function functional(): Map<string, Value> {
  const names = new Map<string, Value>();
  const add = (name: string, signature: string, call: (args: Args) => Value) =>
    names.set(name, define(name, signature, call));
  const axisOf = (dim: Value, x: ArrayValue) =>
    dim === null ? (x.rank === 0 || x.rank === 1 || x.rank === 3 ? 0 : 1) : whole(dim, 'dim');
  for (const [name, isLog] of [
    ['softmax', false],
    ['log_softmax', true],
  ] as const) {
    add(name, 'input, dim=None, dtype=None', ({ input, dim }) => {
      const x = tensorOf(name, input!);
      return reduce.softmax(x, axisOf(dim!, x), isLog);
    });
  }
  for (const name of ['relu', 'tanh', 'silu'])
    add(name, 'input', ({ input }) => unary(name, tensorOf(name, input!)));
  add('gelu', "input, approximate='none'", ({ input, approximate }) => {
    if (approximate !== 'none') raise('NotImplementedError', 'gelu is exact here');
    return unary('gelu', tensorOf('gelu', input!));
  });
  add('sigmoid', 'input', ({ input }) =>
    arithmetic('/', 1, arithmetic('+', 1, unary('exp', arithmetic('*', input!, -1)))),
  );
  add('linear', 'input, weight, bias=None', ({ input, weight, bias }) =>
    linear(tensorOf('linear', input!), tensorOf('linear', weight!), optional(bias)),
  );
  add(
    'layer_norm',
    'input, normalized_shape, weight=None, bias=None, eps=1e-5',
    ({ input, normalized_shape: shape, weight, bias, eps }) =>
      layerNorm(
        tensorOf('layer_norm', input!),
        wholes(shape!, 'normalized_shape'),
        optional(weight),
        optional(bias),
        number(eps!, 'eps'),
      ),
  );
  add('embedding', 'input, weight', ({ input, weight }) =>
    embedding(tensorOf('embedding', input!), tensorOf('embedding', weight!)),
  );
  add('cross_entropy', 'input, target', ({ input, target }) =>
    crossEntropy(tensorOf('cross_entropy', input!), tensorOf('cross_entropy', target!)),
  );
  add('mse_loss', 'input, target', ({ input, target }) => {
    const difference = arithmetic('-', input!, target!);
    return reduce.mean(arithmetic('*', difference, difference), {
      axes: undefined,
      keepDims: false,
    });
  });
  // As in a model that is evaluated.
  add('dropout', 'input, p=0.5, training=True', ({ input }) => input!);
  add('one_hot', 'input, num_classes=-1', ({ input, num_classes }) => {
    const x = tensorOf('one_hot', input!);
    const most = whole(num_classes!, 'num_classes');
    const count = most < 0 ? Math.max(...x.numbers()) + 1 : most;
    const all = [...x.numbers()].flatMap((id) => upTo(count).map((i) => Number(i === id)));
    return x.like(x.recorder.constant([...x.shape, count], all), [...x.shape, count]);
  });
  add('normalize', 'input, p=2.0, dim=1, eps=1e-12', ({ input, dim }) => {
    const square = reduce.sum(arithmetic('*', input!, input!), {
      axes: [whole(dim!, 'dim')],
      keepDims: true,
    });
    return arithmetic('/', input!, unary('sqrt', square));
  });
  add(
    'scaled_dot_product_attention',
    'query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False',
    (args) => {
      const [q, k, v] = ['query', 'key', 'value'].map((name) =>
        tensorOf('scaled_dot_product_attention', args[name]!),
      );
      return attention(q!, k!, v!, args['attn_mask']!, args['is_causal'] === true);
    },
  );
  return names;
}

/** Classes of torch.nn. Weights are our own random numbers. */
export function nnModule(
  machine: Machine,
  functions: ReadonlyMap<string, Value>,
): Map<string, Value> {
  const names = new Map<string, Value>();
  const { recorder } = machine;
  const base = new ClassValue('Module', undefined);
  const own = (self: Value) => (self as Instance).names;
  const method = (type: ClassValue, name: string, signature: string, call: (args: Args) => Value) =>
    type.names.set(name, define(name, `self, ${signature}`, call));

  /** Parameters below a module, by their names with dots. */
  const parameters = (self: Value, before = ''): [string, ArrayValue][] => {
    if (!(self instanceof Instance)) return [];
    // A module's own come first.
    const own = [...self.names].flatMap(([name, value]): [string, ArrayValue][] =>
      value instanceof ArrayValue && isParameter.has(value) ? [[before + name, value]] : [],
    );
    const inner = [...self.names].flatMap(([name, value]): [string, ArrayValue][] => {
      if (value instanceof Instance) return parameters(value, `${before}${name}.`);
      if (name !== '_items' || !(value instanceof List)) return [];
      return value.items.flatMap((each, i) => parameters(each, `${before}${i}.`));
    });
    return [...own, ...inner];
  };
  const isParameter = new WeakSet<ArrayValue>();
  const parameter = (x: ArrayValue): ArrayValue => {
    isParameter.add(x);
    return x;
  };
  const drawn = (shape: readonly number[], width: number) => {
    const bound = 1 / Math.sqrt(width);
    return parameter(
      arithmetic(
        '*',
        arithmetic('-', arithmetic('*', random(machine, shape, 'uniform', 'torch'), 2), 1),
        new Float(bound),
      ),
    );
  };
  const constant = (shape: readonly number[], value: number, dtype: DtypeName = 'float32') => {
    const numbers = new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(value);
    return parameter(
      new ArrayValue(recorder, recorder.constant(shape, numbers), shape, dtype, 'torch'),
    );
  };

  method(base, '__init__', '', () => null);
  base.names.set('__call__', callForward(machine));
  method(
    base,
    'parameters',
    '',
    ({ self }) => new List(parameters(self!).map(([, value]) => value)),
  );
  method(
    base,
    'named_parameters',
    '',
    ({ self }) => new List(parameters(self!).map((pair) => new Tuple(pair))),
  );
  method(base, 'state_dict', '', ({ self }) => {
    const made = new Dict();
    for (const [name, value] of parameters(self!)) made.set(name, value);
    return made;
  });
  method(base, 'register_buffer', 'name, tensor, persistent=True', ({ self, name, tensor }) => {
    own(self!).set(String(name), tensor!);
    return null;
  });
  for (const name of ['eval', 'train', 'to', 'double', 'float'])
    method(base, name, '*args', ({ self }) => self!);
  names.set('Module', base);

  const layer = (
    name: string,
    signature: string,
    start: (args: Args, set: (name: string, value: Value) => void) => void,
    forward: (x: ArrayValue, get: (name: string) => Value) => Value,
  ) => {
    const type = new ClassValue(name, base);
    method(type, '__init__', signature, (args) => {
      start(args, (key, value) => {
        if (value instanceof ArrayValue) recorder.name(value.recorded, key);
        own(args['self']!).set(key, value);
      });
      return null;
    });
    method(type, 'forward', 'input', ({ self, input }) =>
      forward(tensorOf(name, input!), (key) => own(self!).get(key) ?? null),
    );
    names.set(name, type);
  };
  layer(
    'Linear',
    'in_features, out_features, bias=True',
    ({ in_features, out_features, bias }, set) => {
      const [width, out] = [
        whole(in_features!, 'in_features'),
        whole(out_features!, 'out_features'),
      ];
      set('in_features', width);
      set('out_features', out);
      set('weight', drawn([out, width], width));
      set('bias', bias === false ? null : drawn([out], width));
    },
    (x, get) => linear(x, get('weight') as ArrayValue, optional(get('bias'))),
  );
  layer(
    'LayerNorm',
    'normalized_shape, eps=1e-5, elementwise_affine=True',
    ({ normalized_shape, eps, elementwise_affine }, set) => {
      const shape = wholes(normalized_shape!, 'normalized_shape');
      set('normalized_shape', new Tuple(shape));
      set('eps', eps!);
      set('weight', elementwise_affine === false ? null : constant(shape, 1));
      set('bias', elementwise_affine === false ? null : constant(shape, 0));
    },
    (x, get) =>
      layerNorm(
        x,
        (get('normalized_shape') as Tuple).items as number[],
        optional(get('weight')),
        optional(get('bias')),
        number(get('eps'), 'eps'),
      ),
  );
  layer(
    'Embedding',
    'num_embeddings, embedding_dim',
    ({ num_embeddings, embedding_dim }, set) => {
      const shape = [
        whole(num_embeddings!, 'num_embeddings'),
        whole(embedding_dim!, 'embedding_dim'),
      ];
      set('weight', parameter(random(machine, shape, 'normal', 'torch')));
    },
    (x, get) => embedding(x, get('weight') as ArrayValue),
  );
  layer(
    'Dropout',
    'p=0.5',
    ({ p }, set) => set('p', p!),
    (x) => x,
  );
  layer(
    'Identity',
    '*args',
    () => undefined,
    (x) => x,
  );
  layer(
    'Softmax',
    'dim=None',
    ({ dim }, set) => set('dim', dim!),
    (x, get) => machine.call(functions.get('softmax')!, [x, get('dim')]),
  );
  for (const [name, call] of [
    ['ReLU', 'relu'],
    ['GELU', 'gelu'],
    ['SiLU', 'silu'],
    ['Tanh', 'tanh'],
    ['Sigmoid', 'sigmoid'],
  ] as const) {
    layer(
      name,
      '',
      () => undefined,
      (x) => machine.call(functions.get(call)!, [x]),
    );
  }
  const keep = (name: string) => {
    const type = new ClassValue(name, base);
    method(type, '__init__', '*items', ({ self, items }) => {
      const given = (items as Tuple).items;
      const isList = given.length === 1 && given[0] instanceof List;
      own(self!).set('_items', new List([...(isList ? (given[0] as List).items : given)]));
      return null;
    });
    method(type, 'append', 'item', ({ self, item }) => {
      (own(self!).get('_items') as List).items.push(item!);
      return self!;
    });
    names.set(name, type);
    return type;
  };
  method(keep('Sequential'), 'forward', 'input', ({ self, input }) =>
    (own(self!).get('_items') as List).items.reduce((x, each) => machine.call(each, [x]), input!),
  );
  keep('ModuleList');
  names.set(
    'Parameter',
    define('Parameter', 'data, requires_grad=True', ({ data }) => {
      const x = tensorOf('Parameter', data!);
      return parameter(x.like(x.recorded, x.shape));
    }),
  );
  const CrossEntropyLoss = new ClassValue('CrossEntropyLoss', base);
  method(CrossEntropyLoss, 'forward', 'input, target', ({ input, target }) =>
    machine.call(functions.get('cross_entropy')!, [input!, target!]),
  );
  names.set('CrossEntropyLoss', CrossEntropyLoss);
  return names;
}

/** `module(x)` is `module.forward(x)`. */
function callForward(machine: Machine): Builtin {
  return new Builtin('__call__', ([self = null, ...args], named) => {
    const found = self instanceof Instance ? self.type.find('forward') : undefined;
    if (found === undefined) {
      raise(
        'NotImplementedError',
        `Module [${typeName(self)}] is missing the required "forward" function`,
      );
    }
    return machine.call(found!, [self, ...args], named);
  });
}

/** All modules of PyTorch, by name. */
export function torchModules(machine: Machine, names: Map<string, Value>): Module[] {
  const functions = functional();
  const nn = nnModule(machine, functions);
  const [inner, outer] = [new Module('torch.nn.functional', functions), new Module('torch.nn', nn)];
  nn.set('functional', inner);
  names.set('nn', outer);
  names.set('functional', inner);
  return [new Module('torch', names), outer, inner];
}
