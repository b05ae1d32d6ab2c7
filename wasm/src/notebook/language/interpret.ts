// Statements, and what a run of a program consists of.
import { assignInPlace } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { setItem } from '../arrays/indexing.js';
import type { Recorded, Recorder } from '../arrays/record.js';
import { outside, Raised, raise } from './errors.js';
import { Evaluator } from './evaluate.js';
import { repr, str } from './format.js';
import { placeIn, replaceItems, setAttribute } from './items.js';
import type { Machine } from './machine.js';
import { binary, inPlace, truth } from './operators.js';
import { assignedIn, Scope } from './scope.js';
import { worked } from './work.js';
import type { Expression, Statement } from '../parse/syntax.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Func,
  Instance,
  keyOf,
  List,
  Module,
  Slice,
  special,
  Tuple,
  typeName,
  type Named,
  type Value,
} from './values.js';

/** How a block ends: as it should, or by return, break or continue. */
type End = { readonly value: Value } | 'break' | 'continue' | undefined;

/** What happened on a line. */
interface LineRecord {
  times: number;
  /** What it has bound: the value as it was, or an array that is still written into. */
  readonly names: Map<string, { array: ArrayValue; bound: Recorded | ArrayValue }>;
  printed: string;
}

export class Interpreter extends Evaluator {
  readonly lines = new Map<number, LineRecord>();
  printed = '';
  /** The value of the expression that was a statement last. */
  last: Value = null;
  #instances = 0;
  #known: ReadonlyMap<string, Module> | undefined;

  constructor(
    recorder: Recorder,
    readonly modules: (machine: Machine) => ReadonlyMap<string, Module>,
  ) {
    super(recorder);
  }

  print(text: string): void {
    if (this.printed.length + text.length > 1e6) {
      raise('MemoryError', 'a program may print a million characters');
    }
    this.printed += text;
    this.#lineAt(this.recorder.line).printed += text;
  }

  #lineAt(line: number): LineRecord {
    let record = this.lines.get(line);
    if (!record) this.lines.set(line, (record = { times: 0, names: new Map(), printed: '' }));
    return record;
  }

  runBody(body: readonly Statement[], scope: Scope): Value {
    const end = this.run(body, scope);
    return typeof end === 'object' ? end.value : null;
  }

  run(body: readonly Statement[], scope: Scope): End {
    for (const statement of body) {
      const end = this.#statement(statement, scope);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  #statement(node: Statement, scope: Scope): End {
    const { recorder } = this;
    recorder.step();
    recorder.line = node.line;
    this.#lineAt(node.line).times += 1;
    switch (node.kind) {
      case 'expression':
        this.last = this.value(node.value, scope);
        return undefined;
      case 'assign': {
        const value = this.value(node.value, scope);
        recorder.line = node.line;
        for (const target of node.targets) this.assign(target, value, scope, node.line);
        return undefined;
      }
      case 'update':
        this.#update(node, scope);
        return undefined;
      case 'def': {
        const [decorator = '', more] = node.decorators.filter((name) => name !== 'torch.no_grad()');
        const isKnown =
          decorator === '' || decorator === 'property' || decorator === 'staticmethod';
        if (!isKnown || more !== undefined)
          throw outside(
            `the decorator @${isKnown ? more : decorator}`,
            'call the function instead',
          );
        const locals = assignedIn(node.body, node.parameters);
        const { name, parameters, body } = node;
        scope.set(name, this.makeFunction(name, parameters, body, scope, locals, decorator));
        return undefined;
      }
      case 'class':
        scope.set(node.name, this.#class(node, scope));
        return undefined;
      case 'return':
        return { value: node.value ? this.value(node.value, scope) : null };
      case 'if':
        for (const { test, body } of node.tests) {
          if (truth(this.value(test, scope))) return this.run(body, scope);
        }
        return this.run(node.otherwise, scope);
      case 'while':
        for (;;) {
          recorder.line = node.line;
          recorder.step();
          if (!truth(this.value(node.test, scope))) return this.run(node.otherwise, scope);
          const end = this.run(node.body, scope);
          if (end === 'break') return undefined;
          if (typeof end === 'object') return end;
        }
      case 'for': {
        const over = this.value(node.over, scope);
        recorder.line = node.line;
        for (const each of this.iterate(over)) {
          this.assign(node.target, each, scope);
          const end = this.run(node.body, scope);
          if (end === 'break') return undefined;
          if (typeof end === 'object') return end;
          recorder.line = node.line;
        }
        return this.run(node.otherwise, scope);
      }
      case 'pass':
        return undefined;
      case 'break':
      case 'continue':
        return node.kind;
      case 'raise':
        return this.#raise(node.value ? this.value(node.value, scope) : null);
      case 'assert': {
        if (truth(this.value(node.test, scope))) return undefined;
        const message = node.message ? str(this.value(node.message, scope)) : '';
        recorder.line = node.line;
        return raise('AssertionError', message);
      }
      case 'delete':
        for (const target of node.targets) this.#delete(target, scope);
        return undefined;
      case 'import':
        this.#import(node, scope);
        return undefined;
      case 'scope':
        for (const name of node.names) scope.redirect(node.type, name);
        return undefined;
      case 'with': {
        const value = this.value(node.value, scope);
        if (value !== null) throw outside('with (other than torch.no_grad())');
        return this.run(node.body, scope);
      }
    }
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

  /** What a target consists of, evaluated once. */
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
          this.#lineAt(line ?? target.line).names.set(target.of.name, { array: of, bound: of });
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
    this.#lineAt(line).names.set(name, { array: value, bound: recorded });
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

  #update(node: Statement & { kind: 'update' }, scope: Scope): void {
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

  /** What a target is after `sign=`: lists, sets and arrays are changed in place. */
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

  #delete(target: Expression, scope: Scope): void {
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

  #raise(value: Value): never {
    const made = value instanceof ClassValue ? this.instance(value, [], new Map()) : value;
    if (made instanceof Instance && made.type.isError) throw new Raised(made.type.name, str(made));
    if (value === null) raise('RuntimeError', 'No active exception to reraise');
    return raise('TypeError', 'exceptions must derive from BaseException');
  }

  #class(node: Statement & { kind: 'class' }, scope: Scope): ClassValue {
    const bases = node.bases.map((base) => this.value(base, scope));
    if (bases.length > 1) throw outside('multiple inheritance');
    const base = bases[0];
    const isObject = base instanceof Builtin && base.name === 'object';
    if (base !== undefined && !isObject && !(base instanceof ClassValue)) {
      throw outside(`a subclass of ${str(base)}`);
    }
    const made = new ClassValue(node.name, base instanceof ClassValue ? base : undefined);
    const inner = new Scope(scope, undefined, undefined, 'class');
    this.run(node.body, inner);
    for (const [name, value] of inner.names) {
      if (value instanceof Func && !value.owner) value.owner = made;
      made.names.set(name, value);
    }
    return made;
  }

  instance(type: ClassValue, args: readonly Value[], named: Named): Value {
    const made = new Instance(type, ++this.#instances);
    if (type.isError) made.names.set('args', new Tuple(args));
    const start = type.find('__init__');
    if (start instanceof Func || start instanceof Builtin) start.call([made, ...args], named);
    else if (args.length + named.size > 0) raise('TypeError', `${type.name}() takes no arguments`);
    return made;
  }

  #import(node: Statement & { kind: 'import' }, scope: Scope): void {
    const known = (this.#known ??= this.modules(this));
    const find = (name: string): Module => {
      const found = known.get(name);
      if (found) return found;
      const has = [...known.keys()].join(', ');
      const text = `No module named '${name}' in the subset that runs here; there are: ${has}`;
      throw new Raised('ModuleNotFoundError', text);
    };
    const module = find(node.module);
    if (!node.names) {
      if (node.alias !== undefined) scope.set(node.alias, module);
      else {
        const [root = ''] = node.module.split('.');
        scope.set(root, find(root));
      }
      return;
    }
    for (const [name, alias] of node.names) {
      if (name === '*') for (const [each, value] of module.names) scope.set(each, value);
      else {
        const own = module.names.get(name);
        const value = own === undefined ? known.get(`${node.module}.${name}`) : own;
        if (value === undefined) {
          raise(
            'ImportError',
            `cannot import name '${name}' from '${node.module}', at least not in the subset that runs here`,
          );
        }
        scope.set(alias, value!);
      }
    }
  }
}

/** The place of an item of a list that is set or deleted. */
function listPlace(items: readonly Value[], index: Value): number {
  if (index instanceof Slice) throw outside('assignment to a slice of a list', 'make a new list');
  return placeIn(items.length, index, 'list', 'list assignment index out of range');
}
