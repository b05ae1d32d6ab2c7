// Statements, and the parts of a program's run.
import type { Recorder } from '../arrays/record.js';
import type { Statement } from '../parse/syntax.js';
import { Assigner } from './assign.js';
import { truth } from './comparisons.js';
import { outside, Raised, raise } from './errors.js';
import { str } from './format.js';
import type { Machine } from './machine.js';
import { assignedIn, Scope } from './scope.js';
import {
  Builtin,
  ClassValue,
  Func,
  Instance,
  Module,
  Tuple,
  type Named,
  type Value,
} from './values.js';

/** The end of a block: normal, or by return, break or continue. */
type End = { readonly value: Value } | 'break' | 'continue' | undefined;

export class Interpreter extends Assigner {
  printed = '';
  /** The value of the last statement that was an expression. */
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
    this.lineAt(this.recorder.line).printed += text;
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
    this.lineAt(node.line).times += 1;
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
        this.update(node, scope);
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
        for (const target of node.targets) this.delete(target, scope);
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
