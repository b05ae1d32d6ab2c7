// Operations on any value: calls, attributes, items and loops.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import type { Recorder } from '../arrays/record.js';
import { arrayAttribute } from '../library/attributes.js';
import { convertTo } from '../library/make-arrays.js';
import { plainAttribute } from '../library/plain-methods.js';
import { Raised, raise } from './errors.js';
import { repr } from './format.js';
import { itemOf } from './items.js';
import { iterate } from './iteration.js';
import type { Machine } from './machine.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Func,
  Instance,
  Method,
  Module,
  type Named,
  special,
  Super,
  typeName,
  type Value,
} from './values.js';

const none: Named = new Map();

export abstract class ObjectProtocol implements Machine {
  seed = 0;

  constructor(readonly recorder: Recorder) {}

  abstract instance(type: ClassValue, args: readonly Value[], named: Named): Value;
  abstract print(text: string): void;

  *iterate(value: Value): IterableIterator<Value> {
    for (const each of iterate(value)) {
      this.recorder.step();
      yield each;
    }
  }

  call(callee: Value, args: readonly Value[], named: Named = none): Value {
    this.recorder.step();
    if (callee instanceof Builtin || callee instanceof Func) return callee.call(args, named);
    if (callee instanceof Method) return callee.func.call([callee.self, ...args], named);
    if (callee instanceof ClassValue) return this.instance(callee, args, named);
    if (callee instanceof Dtype) return convertTo(this, callee, args);
    const own = callee instanceof Instance ? callee.type.find('__call__') : undefined;
    if (own instanceof Func || own instanceof Builtin) return own.call([callee, ...args], named);
    return raise('TypeError', `'${typeName(callee)}' object is not callable`);
  }

  attribute(value: Value, name: string): Value {
    if (value instanceof Module) {
      const found = value.names.get(name);
      if (found !== undefined) return found;
      const known = [...value.names.keys()].filter(
        (each) => each.toLowerCase() === name.toLowerCase(),
      );
      const guess = known[0]
        ? `; did you mean '${known[0]}'?`
        : ', at least not in the subset that runs here';
      return raise('AttributeError', `module '${value.name}' has no attribute '${name}'${guess}`);
    }
    if (value instanceof ArrayValue) return arrayAttribute(value, name);
    if (value instanceof Instance) {
      const own = value.names.get(name);
      if (own !== undefined) return own;
      const found = this.#bound(value.type.find(name), value);
      if (found !== undefined) return found;
      if (name === '__class__') return value.type;
    } else if (value instanceof Super) {
      const found = this.#bound(value.type?.find(name), value.self);
      if (found !== undefined) return found;
      if (name === '__init__') return new Builtin('__init__', () => null);
      return raise('AttributeError', `'super' object has no attribute '${name}'`);
    } else if (value instanceof ClassValue) {
      const found = value.find(name);
      if (found !== undefined) return found;
      if (name === '__name__') return value.name;
      return raise('AttributeError', `type object '${value.name}' has no attribute '${name}'`);
    } else {
      const found = plainAttribute(this, value, name);
      if (found !== undefined) return found;
    }
    return raise('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`);
  }

  #bound(found: Value | undefined, self: Value): Value | undefined {
    if (!(found instanceof Func) && !(found instanceof Builtin)) return found;
    const decorator = found instanceof Func ? found.decorator : '';
    if (decorator === 'property') return this.call(found, [self]);
    return decorator === 'staticmethod' ? found : new Method(self, found);
  }

  /** `value[index]` */
  item(value: Value, index: Value): Value {
    if (value instanceof ArrayValue) return getItem(value, index);
    if (value instanceof Dict && !value.isSet) {
      const found = value.get(index);
      if (found !== undefined) return found;
      throw new Raised('KeyError', repr(index));
    }
    const own = special(value, '__getitem__', [index]);
    return own === undefined ? itemOf(value, index) : own;
  }
}
