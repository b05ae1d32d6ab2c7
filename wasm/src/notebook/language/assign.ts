// Assignments: to names, attributes and items, to several at once, and in place; and a record of the names bound on
// each line.
import { assignInPlace } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { setItem } from '../arrays/indexing.js';
import type { Recorded } from '../arrays/record.js';
import type { Expression, Statement } from '../parse/syntax.js';
import { outside, raise } from './errors.js';
import { Evaluator } from './evaluate.js';
import { repr } from './format.js';
import { placeIn, replaceItems, setAttribute } from './items.js';
import { binary, inPlace } from './operators.js';
import type { Scope } from './scope.js';
import { Dict, keyOf, List, Slice, special, typeName, type Value } from './values.js';
import { worked } from './work.js';

/** The events of a line. */
interface LineRecord {
  times: number;
  /** The bound names: the value at that time, or an array that may still be written to. */
  readonly names: Map<string, { array: ArrayValue; bound: Recorded | ArrayValue }>;
  printed: string;
}

export abstract class Assigner extends Evaluator {
  readonly lines = new Map<number, LineRecord>();

  protected lineAt(line: number): LineRecord {
    let record = this.lines.get(line);
    if (!record) this.lines.set(line, (record = { times: 0, names: new Map(), printed: '' }));
    return record;
  }

  assign(target: Expression, value: Value, scope: Scope, line?: number): void {
    if (target.kind !== 'display') {
      const { of, index } = this.#parts(target, scope);
      return this.#store(target, of, index, value, scope, line);
    }
    const { items } = target;
    const values = [...this.iterate(value)];
    const star = items.findIndex((item) => item.star);
    const count = star < 0 ? items.length : items.length - 1;
    if (values.length < count) {
      const expected = `expected ${star < 0 ? '' : 'at least '}${count}, got ${values.length}`;
      raise('ValueError', `not enough values to unpack (${expected})`);
    }
    if (star < 0 && values.length > count) {
      raise('ValueError', `too many values to unpack (expected ${count})`);
    }
    const extra = values.length - items.length;
    for (const [i, item] of items.entries()) {
      const rest = i === star ? new List(values.slice(i, i + extra + 1)) : undefined;
      const own = rest ?? values[star >= 0 && i > star ? i + extra : i]!;
      this.assign(item.value, own, scope, line);
    }
  }

  /** The parts of a target, each evaluated once. */
  #parts(target: Expression, scope: Scope): { of: Value; index: Value } {
    const of = 'of' in target ? this.value(target.of, scope) : null;
    return { of, index: target.kind === 'subscript' ? this.value(target.index, scope) : null };
  }

  #store(
    target: Expression,
    of: Value,
    index: Value,
    value: Value,
    scope: Scope,
    line: number | undefined,
  ): void {
    switch (target.kind) {
      case 'name':
        scope.set(target.name, value);
        return this.#bind(line, target.name, value);
      case 'attribute':
        setAttribute(of, target.name, value);
        return this.#bind(line, target.name, value);
      case 'subscript': {
        this.recorder.line = target.line;
        this.#setItem(of, index, value);
        if (
          of instanceof ArrayValue &&
          (target.of.kind === 'name' || target.of.kind === 'attribute')
        )
          this.lineAt(line ?? target.line).names.set(target.of.name, { array: of, bound: of });
        return;
      }
      default:
        raise('SyntaxError', 'cannot assign to expression');
    }
  }

  #bind(line: number | undefined, name: string, value: Value): void {
    if (!(value instanceof ArrayValue) || line === undefined) return;
    const { recorded } = value;
    this.recorder.name(recorded, name);
    this.lineAt(line).names.set(name, { array: value, bound: recorded });
  }

  #setItem(of: Value, index: Value, value: Value): void {
    if (of instanceof ArrayValue) return setItem(of, index, value);
    if (of instanceof Dict && !of.isSet) return of.set(index, value);
    if (special(of, '__setitem__', [index, value]) !== undefined) return undefined;
    if (!(of instanceof List))
      raise('TypeError', `'${typeName(of)}' object does not support item assignment`);
    const { items } = of as List;
    items[listPlace(items, index)] = value;
    return undefined;
  }

  protected update(node: Statement & { kind: 'update' }, scope: Scope): void {
    const { target } = node;
    if (target.kind === 'display') raise('SyntaxError', 'an augmented assignment has one target');
    const { of, index } = this.#parts(target, scope);
    const old =
      target.kind === 'name'
        ? scope.find(target.name)
        : target.kind === 'subscript'
          ? this.item(of, index)
          : this.attribute(of, (target as { name: string }).name);
    const value = this.value(node.value, scope);
    this.recorder.line = node.line;
    this.#store(target, of, index, this.#updated(node, old, value), scope, node.line);
  }

  /** The value of a target after `sign=`: lists, sets and arrays are changed in place. */
  #updated({ sign, texts }: Statement & { kind: 'update' }, old: Value, value: Value): Value {
    if (old instanceof List && sign === '+') {
      for (const each of [...this.iterate(value)]) old.items.push(each);
      return old;
    }
    const own = inPlace(sign, old, value);
    const made = own === undefined ? binary(sign, old, value, texts) : own;
    if (old instanceof ArrayValue && made instanceof ArrayValue)
      return assignInPlace(sign, old, made);
    return replaceItems(old, made);
  }

  protected delete(target: Expression, scope: Scope): void {
    if (target.kind === 'name') return scope.delete(target.name);
    const { of, index } = this.#parts(target, scope);
    const isItem = target.kind === 'subscript';
    if (isItem && of instanceof List) {
      worked(of.items.length / 32);
      of.items.splice(listPlace(of.items, index), 1);
    } else if (isItem && of instanceof Dict && !of.isSet) {
      if (!of.entries.delete(keyOf(index))) raise('KeyError', repr(index));
    } else throw outside('del of anything but a name or an item of a list or a dictionary');
  }
}

/** The index of a list item to set or delete. */
function listPlace(items: readonly Value[], index: Value): number {
  if (index instanceof Slice) throw outside('assignment to a slice of a list', 'make a new list');
  return placeIn(items.length, index, 'list', 'list assignment index out of range');
}
