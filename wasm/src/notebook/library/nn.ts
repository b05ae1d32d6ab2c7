// torch.nn: classes of layers, as far as notebooks on attention need them.
import { arithmetic } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { full } from '../arrays/make.js';
import { raise } from '../language/errors.js';
import { itemOf, selfOf } from '../language/items.js';
import type { Machine } from '../language/machine.js';
import { type Args, define, number, integer, integers } from '../language/signature.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Float,
  Instance,
  List,
  Module,
  Tuple,
  type Value,
  typeName,
} from '../language/values.js';
import { embedding, functional, layerNorm, linear, optional } from './functional.js';
import { random, tensorOf } from './make-arrays.js';
import { addAttention } from './nn-attention.js';

/** Classes of torch.nn. Weights are our own random numbers. */
function nnModule(machine: Machine, functions: ReadonlyMap<string, Value>): Map<string, Value> {
  const names = new Map<string, Value>();
  const { recorder } = machine;
  const base = new ClassValue('Module', undefined);
  const own = (self: Value | undefined) => selfOf(self).names;
  const method = (type: ClassValue, name: string, signature: string, call: (args: Args) => Value) =>
    type.names.set(name, define(name, `self, ${signature}`, call));

  /** The parameters of a module and its submodules, by dotted names. */
  const parameters = (self: Value, before = ''): [string, ArrayValue][] => {
    if (!(self instanceof Instance)) return [];
    // A module's own parameters come first.
    const own = [...self.names].flatMap(([name, value]): [string, ArrayValue][] =>
      value instanceof ArrayValue && isParameter.has(value) ? [[before + name, value]] : [],
    );
    const inner = [...self.names].flatMap(([name, value]) =>
      parameters(value, `${before}${name}.`),
    );
    return [...own, ...inner];
  };
  const isParameter = new WeakSet<ArrayValue>();
  const parameter = (x: ArrayValue): ArrayValue => {
    isParameter.add(x);
    return x;
  };
  const drawn = (shape: readonly number[], bound: number) => {
    const even = random(machine, shape, 'uniform', 'torch');
    const around = arithmetic('-', arithmetic('*', even, 2), 1);
    return parameter(arithmetic('*', around, new Float(bound)));
  };
  const constant = (shape: readonly number[], value: number) =>
    parameter(full(recorder, shape, value, 'float32', 'torch'));

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
    own(self).set(String(name), tensor!);
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
        own(args['self']).set(key, value);
      });
      return null;
    });
    method(type, 'forward', 'input', ({ self, input }) =>
      forward(tensorOf(name, input!), (key) => own(self).get(key) ?? null),
    );
    names.set(name, type);
  };
  layer(
    'Linear',
    'in_features, out_features, bias=True',
    ({ in_features, out_features, bias }, set) => {
      const [width, out] = [
        integer(in_features!, 'in_features'),
        integer(out_features!, 'out_features'),
      ];
      set('in_features', width);
      set('out_features', out);
      const bound = 1 / Math.sqrt(width);
      set('weight', drawn([out, width], bound));
      set('bias', bias === false ? null : drawn([out], bound));
    },
    (x, get) => linear(x, get('weight') as ArrayValue, optional(get('bias'))),
  );
  layer(
    'LayerNorm',
    'normalized_shape, eps=1e-5, elementwise_affine=True',
    ({ normalized_shape, eps, elementwise_affine }, set) => {
      const shape = integers(normalized_shape!, 'normalized_shape');
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
        integer(num_embeddings!, 'num_embeddings'),
        integer(embedding_dim!, 'embedding_dim'),
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
  /** Containers of modules, whose names are their numbers. */
  const modulesOf = (self: Value | undefined): Value[] =>
    [...own(self)].flatMap(([name, value]) => (/^\d+$/.test(name) ? [value] : []));
  const keep = (name: string) => {
    const type = new ClassValue(name, base);
    const append = (self: Value, item: Value) =>
      own(self).set(String(modulesOf(self).length), item);
    method(type, '__init__', '*items', ({ self, items }) => {
      const given = (items as Tuple).items;
      const isList =
        given.length === 1 && !(given[0] instanceof Instance && given[0].type.isA(base));
      for (const item of isList ? machine.iterate(given[0]!) : given) append(self!, item);
      return null;
    });
    method(type, 'append', 'item', ({ self, item }) => (append(self!, item!), self!));
    method(type, '__len__', '', ({ self }) => modulesOf(self).length);
    method(type, '__iter__', '', ({ self }) => new List(modulesOf(self)));
    method(type, '__getitem__', 'index', ({ self, index }) => {
      const found = itemOf(new List(modulesOf(self)), index!);
      return found instanceof List ? machine.call(selfOf(self).type, found.items) : found;
    });
    names.set(name, type);
    return type;
  };
  method(keep('Sequential'), 'forward', 'input', ({ self, input }) =>
    modulesOf(self).reduce((x, each) => machine.call(each, [x]), input!),
  );
  keep('ModuleList');
  names.set(
    'Parameter',
    define('Parameter', 'data, requires_grad=True', ({ data }) => {
      const x = tensorOf('Parameter', data!);
      return parameter(x.copy());
    }),
  );
  const CrossEntropyLoss = new ClassValue('CrossEntropyLoss', base);
  method(CrossEntropyLoss, 'forward', 'input, target', ({ input, target }) =>
    machine.call(functions.get('cross_entropy')!, [input!, target!]),
  );
  names.set('CrossEntropyLoss', CrossEntropyLoss);
  addAttention(machine, names, { base, own, method, drawn, constant });
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
