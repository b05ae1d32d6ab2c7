// Attributes and methods of strings, lists, dictionaries, numbers and functions.
import { Dtype } from '../arrays/array.js';
import { next } from '../language/iteration.js';
import type { Machine } from '../language/machine.js';
import type { MethodTable } from '../language/signature.js';
import {
  Builtin,
  Dict,
  Float,
  Func,
  Iterator,
  List,
  Method,
  Tuple,
  type Value,
} from '../language/values.js';
import { dictMethods, listMethods, setMethods } from './container-methods.js';
import { stringMethods } from './string-methods.js';

const makers = {
  strings: stringMethods,
  lists: listMethods,
  dicts: dictMethods,
  sets: setMethods,
};
const tables = new WeakMap<Machine, Record<keyof typeof makers, MethodTable>>();

function tablesOf(machine: Machine): Record<keyof typeof makers, MethodTable> {
  let made = tables.get(machine);
  if (!made) {
    const all = Object.entries(makers).map(([name, make]) => [name, make(machine)]);
    tables.set(
      machine,
      (made = Object.fromEntries(all) as Record<keyof typeof makers, MethodTable>),
    );
  }
  return made;
}

/** A method or an attribute of a value that is neither an array nor an object of the program. */
export function plainAttribute(machine: Machine, value: Value, name: string): Value | undefined {
  const bound = (methods: MethodTable) => {
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
    return found && new Method(value, found);
  };
  const { strings, lists, dicts, sets } = tablesOf(machine);
  if (typeof value === 'string') return bound(strings);
  if (value instanceof List || value instanceof Tuple) {
    // The results of PyTorch's max, min and sort.
    const isPair = value instanceof Tuple && value.title.startsWith('torch.return_types.');
    if (isPair && name === 'values') return value.items[0];
    if (isPair && name === 'indices') return value.items[1];
    const isOfTuple =
      ['index', 'count'].includes(name) ||
      (name === 'numel' && value instanceof Tuple && value.title);
    if (value instanceof Tuple ? !isOfTuple : name === 'numel') return undefined;
    return bound(lists);
  }
  if (value instanceof Dict) return bound(value.isSet ? sets : dicts);
  if (value instanceof Float && name === 'is_integer')
    return new Builtin(name, () => Number.isInteger(value.value));
  if (typeof value === 'number' && name === 'bit_length')
    return new Builtin(name, () => (value === 0 ? 0 : Math.abs(value).toString(2).length));
  if ((value instanceof Func || value instanceof Builtin) && name === '__name__') return value.name;
  if (value instanceof Dtype && name === 'name') return value.name;
  if (value instanceof Iterator && name === '__next__') return new Builtin(name, () => next(value));
  return undefined;
}
