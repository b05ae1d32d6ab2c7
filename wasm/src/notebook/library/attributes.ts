// Attributes of arrays and tensors, and their methods by name.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { upTo } from '../../graph/operations/common.js';
import { identity, swapAxes, transpose } from '../arrays/moves.js';
import { raise } from '../language/errors.js';
import { type Args, define, defineTorch } from '../language/signature.js';
import { type Builtin, Method, type Value, typeName } from '../language/values.js';
import { torchMethods } from './methods-torch.js';
import { common, numpyMethods, shapeValue } from './methods.js';

const tables = new Map<string, ReadonlyMap<string, Builtin>>();

function tableOf(library: 'numpy' | 'torch'): ReadonlyMap<string, Builtin> {
  const known = tables.get(library);
  if (known) return known;
  const own = { ...common, ...(library === 'torch' ? torchMethods : numpyMethods) };
  const make = library === 'torch' ? defineTorch : define;
  const made = Object.entries(own).map(
    ([name, [signature, call]]) =>
      [name, make(name, `self, ${signature}`, call as (args: Args) => Value)] as const,
  );
  const table = new Map(made);
  tables.set(library, table);
  return table;
}

/** `x.name` */
export function arrayAttribute(x: ArrayValue, name: string): Value {
  switch (name) {
    case 'shape':
      return shapeValue(x);
    case 'ndim':
      return x.rank;
    case 'size':
      if (x.library === 'numpy') return x.size;
      break;
    case 'dtype':
      return new Dtype(x.dtype, x.library);
    case 'T':
      return transpose(x, upTo(x.rank).reverse());
    case 'mT':
      if (x.library === 'torch') return swapAxes(x, -1, -2);
      break;
    case 'data':
      return x.library === 'torch' ? identity(x) : x;
    case 'device':
      return 'cpu';
    case 'requires_grad':
      return false;
  }
  const found = tableOf(x.library).get(name);
  if (found) return new Method(x, found);
  if (name === 'backward' || name === 'grad') {
    raise(
      'NotImplementedError',
      `${name} is not in the subset of PyTorch that runs here; \`gradients\` of tril/graph gives the gradient of any value with respect to any other`,
    );
  }
  const torchOnly = x.library === 'numpy' && Object.hasOwn(torchMethods, name);
  const hint = torchOnly
    ? ' (PyTorch tensors have it; torch.tensor makes one)'
    : ', at least not in the subset that runs here';
  return raise('AttributeError', `'${typeName(x)}' object has no attribute '${name}'${hint}`);
}
