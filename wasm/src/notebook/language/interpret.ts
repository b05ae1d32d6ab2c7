// Statements, and what a run of a program consists of.
import { ArrayValue } from '../arrays/array.js';
import { arithmetic, broadcastShapes, shapeWords } from '../arrays/arithmetic.js';
import { isFloat } from '../arrays/dtypes.js';
import { setItem } from '../arrays/indexing.js';
import type { Recorded, Recorder } from '../arrays/record.js';
import { outside, Raised, raise } from './errors.js';
import { Evaluator } from './evaluate.js';
import { str } from './format.js';
import type { LineRecord, Machine } from './machine.js';
import { assignedIn, Scope } from './scope.js';
import type { Expression, Statement } from '../parse/syntax.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Func,
  Instance,
  List,
  Module,
  typeName,
  type Named,
  type Value,
} from './values.js';

/** How a block ends: as it should, or by return, break or continue. */
type End = { readonly value: Value } | 'break' | 'continue' | undefined;

/** What a line has bound: the value as it was, or an array that is still written into. */
export type Bound = Recorded | ArrayValue;

export class Interpreter extends Evaluator {
  readonly lines = new Map<
    number,
    Omit<LineRecord, 'names'> & { names: Map<string, { array: ArrayValue; bound: Bound }> }
  >();
  printed = '';

  constructor(
    recorder: Recorder,
    readonly modules: (machine: Machine) => ReadonlyMap<string, Module>,
  ) {
    super({
      recorder,
      get line() {
        return recorder.line;
      },
      set line(line: number) {
        recorder.line = line;
      },
      seed: 0,
      print: (text) => this.#print(text),
      call: (callee, args, named) => this.call(callee, args, named),
      attribute: (value, name) => this.attribute(value, name),
      special: (value, name, args) => this.special(value, name, args),
      makeInstance: (type, args, named) => this.#instance(type, args, named),
    });
  }

  #known: ReadonlyMap<string, Module> | undefined;

  #print(text: string): void {
    if (this.printed.length + text.length > 1e6) {
      raise('MemoryError', 'a program may print a million characters');
    }
    this.printed += text;
    this.#lineAt(this.machine.line).printed += text;
  }

  #lineAt(line: number) {
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
    const { machine } = this;
    machine.recorder.step();
    machine.line = node.line;
    this.#lineAt(node.line).times += 1;
    switch (node.kind) {
      case 'expression':
        this.value(node.value, scope);
        return undefined;
      case 'assign': {
        const value = this.value(node.value, scope);
        machine.line = node.line;
        for (const target of node.targets) this.assign(target, value, scope, node.line);
        return undefined;
      }
      case 'update':
        this.#update(node, scope);
        return undefined;
      case 'def': {
        const locals = assignedIn(node.body, node.parameters);
        const isProperty = node.decorators.includes('property');
        const others = node.decorators.filter(
          (name) => !/^(?:property|staticmethod|torch\.no_grad\(\))$/.test(name),
        );
        if (others.length > 0)
          throw outside(`the decorator @${others[0]}`, 'call the function instead');
        const name = isProperty ? `property ${node.name}` : node.name;
        const func = this.makeFunction(name, node.parameters, node.body, scope, locals);
        scope.set(node.name, func);
        return undefined;
      }
      case 'class':
        scope.set(node.name, this.#class(node, scope));
        return undefined;
      case 'return':
        return { value: node.value ? this.value(node.value, scope) : null };
      case 'if':
        for (const { test, body } of node.tests) {
          if (this.truth(this.value(test, scope))) return this.run(body, scope);
        }
        return this.run(node.otherwise, scope);
      case 'while':
        for (;;) {
          machine.line = node.line;
          machine.recorder.step();
          if (!this.truth(this.value(node.test, scope))) return this.run(node.otherwise, scope);
          const end = this.run(node.body, scope);
          if (end === 'break') return undefined;
          if (typeof end === 'object') return end;
        }
      case 'for': {
        const over = this.value(node.over, scope);
        machine.line = node.line;
        for (const each of this.iterate(over)) {
          this.assign(node.target, each, scope);
          const end = this.run(node.body, scope);
          if (end === 'break') return undefined;
          if (typeof end === 'object') return end;
          machine.line = node.line;
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
        if (this.truth(this.value(node.test, scope))) return undefined;
        const message = node.message ? str(this.value(node.message, scope), this.specialOf) : '';
        machine.line = node.line;
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
        if (value !== null) throw outside('with, but for torch.no_grad()');
        return this.run(node.body, scope);
      }
    }
  }

  assign(target: Expression, value: Value, scope: Scope, line?: number): void {
    switch (target.kind) {
      case 'name':
        scope.set(target.name, value);
        if (line !== undefined) this.#bind(line, target.name, value);
        return;
      case 'attribute': {
        const of = this.value(target.of, scope);
        if (!(of instanceof Instance) && !(of instanceof ClassValue)) {
          raise('AttributeError', `'${typeName(of)}' object has no attribute '${target.name}'`);
        }
        (of as Instance).names.set(target.name, value);
        if (line !== undefined) this.#bind(line, target.name, value);
        return;
      }
      case 'subscript': {
        const of = this.value(target.of, scope);
        const index = this.value(target.index, scope);
        this.machine.line = target.line;
        this.#setItem(of, index, value);
        const name =
          target.of.kind === 'name' || target.of.kind === 'attribute' ? target.of.name : undefined;
        if (name !== undefined && of instanceof ArrayValue) {
          this.#lineAt(line ?? target.line).names.set(name, { array: of, bound: of });
        }
        return;
      }
      case 'display': {
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
        const after = items.length - 1 - star;
        for (const [i, item] of items.entries()) {
          if (i === star)
            this.assign(
              item.value,
              new List(values.slice(star, values.length - after)),
              scope,
              line,
            );
          else
            this.assign(
              item.value,
              values[star >= 0 && i > star ? values.length - items.length + i : i]!,
              scope,
              line,
            );
        }
        return;
      }
      default:
        raise('SyntaxError', 'cannot assign to expression');
    }
  }

  #bind(line: number, name: string, value: Value): void {
    if (!(value instanceof ArrayValue)) return;
    const { recorded } = value;
    this.machine.recorder.name(recorded, name);
    this.#lineAt(line).names.set(name, { array: value, bound: recorded });
  }

  #setItem(of: Value, index: Value, value: Value): void {
    if (of instanceof ArrayValue) return setItem(of, index, value);
    if (of instanceof Dict && !of.isSet) return of.set(index, value);
    if (of instanceof Instance && this.special(of, '__setitem__', [index, value]) !== undefined)
      return undefined;
    if (of instanceof List && typeof index === 'number') {
      const { length } = of.items;
      if (index < -length || index >= length)
        raise('IndexError', 'list assignment index out of range');
      of.items[index < 0 ? index + length : index] = value;
      return undefined;
    }
    if (of instanceof List) throw outside('assignment to a part of a list', 'make a new list');
    return raise('TypeError', `'${typeName(of)}' object does not support item assignment`);
  }

  #update(node: Statement & { kind: 'update' }, scope: Scope): void {
    const { target, sign } = node;
    if (target.kind === 'display') raise('SyntaxError', 'an augmented assignment has one target');
    const isSubscript = target.kind === 'subscript';
    const of = isSubscript || target.kind === 'attribute' ? this.value(target.of, scope) : null;
    const index = isSubscript ? this.value(target.index, scope) : null;
    const old =
      target.kind === 'name'
        ? scope.find(target.name)
        : isSubscript
          ? this.item(of, index)
          : this.attribute(of, (target as { name: string }).name);
    const value = this.value(node.value, scope);
    this.machine.line = node.line;
    let made: Value;
    if (old instanceof ArrayValue && !(old.isScalar && old.library === 'numpy') && sign !== '@') {
      const result = arithmetic(sign, old, value);
      if (result.shape.join() !== old.shape.join()) {
        if (old.library === 'torch') {
          broadcastShapes(old, old.shape, result.shape);
          raise(
            'RuntimeError',
            `output with shape [${old.shape.join(', ')}] doesn't match the broadcast shape [${result.shape.join(', ')}]`,
          );
        }
        const shapes = `${shapeWords(old.shape, '')} doesn't match the broadcast shape ${shapeWords(result.shape, '')}`;
        raise('ValueError', `non-broadcastable output operand with shape ${shapes}`);
      }
      if (!isFloat(old.dtype) && isFloat(result.dtype)) {
        if (old.library === 'torch')
          raise('RuntimeError', "result type Float can't be cast to the desired output type Long");
        raise(
          'UFuncTypeError',
          `Cannot cast ufunc result from dtype('${result.dtype}') to dtype('${old.dtype}') with casting rule 'same_kind'`,
        );
      }
      old.become(result.recorded);
      made = old;
    } else if (old instanceof List && sign === '+') {
      for (const each of [...this.iterate(value)]) old.items.push(each);
      made = old;
    } else made = this.binary(sign, old, value, node.texts);
    if (isSubscript) {
      this.#setItem(of, index, made);
      if (of instanceof ArrayValue && target.of.kind === 'name') {
        this.#lineAt(node.line).names.set(target.of.name, { array: of, bound: of });
      }
    } else this.assign(target, made, scope, node.line);
  }

  #delete(target: Expression, scope: Scope): void {
    if (target.kind === 'name') return scope.delete(target.name);
    const of = target.kind === 'subscript' ? this.value(target.of, scope) : null;
    if (target.kind === 'subscript' && of instanceof List) {
      const at = this.value(target.index, scope);
      if (typeof at === 'number') of.items.splice(at, 1);
      return undefined;
    }
    throw outside('del, but for names and items of lists');
  }

  #raise(value: Value): never {
    const made = value instanceof ClassValue ? this.#instance(value, [], new Map()) : value;
    if (made instanceof Instance && made.names.has('args')) {
      throw new Raised(made.type.name, str(made, this.specialOf));
    }
    if (value === null) raise('RuntimeError', 'No active exception to reraise');
    return raise('TypeError', 'exceptions must derive from BaseException');
  }

  #class(node: Statement & { kind: 'class' }, scope: Scope): ClassValue {
    const bases = node.bases.map((base) => this.value(base, scope));
    if (bases.length > 1) throw outside('a class of several classes', 'name one');
    const base = bases[0];
    const isObject = base instanceof Builtin && base.name === 'object';
    if (base !== undefined && !isObject && !(base instanceof ClassValue)) {
      throw outside(`a class of ${str(base)}`);
    }
    const made = new ClassValue(node.name, base instanceof ClassValue ? base : undefined);
    const inner = new Scope(scope, new Set(), undefined, true);
    this.run(node.body, inner);
    for (const [name, value] of inner.names) {
      if (value instanceof Func && !value.owner) value.owner = made;
      made.names.set(name, value);
    }
    return made;
  }

  #instance(type: ClassValue, args: readonly Value[], named: Named): Value {
    const made = new Instance(type);
    const start = type.find('__init__');
    if (start instanceof Func || start instanceof Builtin) this.call(start, [made, ...args], named);
    else if (args.length + named.size > 0) raise('TypeError', `${type.name}() takes no arguments`);
    return made;
  }

  #import(node: Statement & { kind: 'import' }, scope: Scope): void {
    const known = (this.#known ??= this.modules(this.machine));
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
        const value = module.names.get(name) ?? known.get(`${node.module}.${name}`);
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
