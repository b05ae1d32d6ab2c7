// Scopes of names: a function's own scope, the scopes around it, the program's, and Python's built-in names.
import { raise } from './errors.js';
import type { Expression, Statement } from '../parse/syntax.js';
import type { ClassValue, Value } from './values.js';

export class Scope {
  readonly names = new Map<string, Value>();
  /** Names that `global` and `nonlocal` assign to a scope around this one. */
  readonly elsewhere = new Map<string, Scope>();

  constructor(
    readonly up: Scope | undefined,
    /** The names that a function's body assigns. */
    readonly locals: ReadonlySet<string> = new Set(),
    /** The class and the first argument of a method. */
    readonly method: { readonly owner: ClassValue; readonly self: Value } | undefined = undefined,
    /** Functions in a class's body do not see its names. */
    readonly kind: 'function' | 'class' | 'comprehension' = 'function',
  ) {}

  get top(): Scope {
    // The scope above the program's has the built-in names.
    return this.up?.up ? this.up.top : this;
  }

  find(name: string): Value {
    const own = this.names.get(name);
    if (own !== undefined) return own;
    const other = this.elsewhere.get(name);
    if (!other && this.locals.has(name)) {
      const text = `cannot access local variable '${name}' where it is not associated with a value`;
      raise('UnboundLocalError', text);
    }
    for (let scope = other ?? this.up; scope; scope = scope.up) {
      const value = scope.kind === 'class' ? undefined : scope.names.get(name);
      if (value !== undefined) return value;
    }
    return raise('NameError', `name '${name}' is not defined`);
  }

  set(name: string, value: Value): void {
    (this.elsewhere.get(name) ?? this).names.set(name, value);
  }

  /** Assigns by `:=`, which binds outside comprehensions. */
  walrus(name: string, value: Value): void {
    if (this.kind === 'comprehension') this.up!.walrus(name, value);
    else this.set(name, value);
  }

  delete(name: string): void {
    if ((this.elsewhere.get(name) ?? this).names.delete(name)) return;
    raise('NameError', `name '${name}' is not defined`);
  }

  /** Applies `global` or `nonlocal` to a name. */
  redirect(type: string, name: string): void {
    let scope: Scope | undefined = this.top;
    if (type === 'nonlocal') {
      for (scope = this.up; scope && !scope.locals.has(name); scope = scope.up);
      if (!scope) raise('SyntaxError', `no binding for nonlocal '${name}' found`);
    }
    this.elsewhere.set(name, scope);
  }

  /** The method that runs in this scope or a scope around it. */
  get running(): Scope['method'] {
    return this.method ?? this.up?.running;
  }
}

/** The names that a function's own body assigns. */
export function assignedIn(
  body: readonly Statement[],
  parameters: readonly { readonly name: string }[],
): Set<string> {
  const names = new Set(parameters.map(({ name }) => name));
  const others = new Set<string>();
  const target = (each: Expression): void => {
    if (each.kind === 'name') names.add(each.name);
    else if (each.kind === 'display') for (const { value } of each.items) target(value);
  };
  const visit = (statements: readonly Statement[]): void => {
    for (const each of statements) {
      switch (each.kind) {
        case 'assign':
          each.targets.forEach(target);
          break;
        case 'update':
          target(each.target);
          break;
        case 'for':
          target(each.target);
          visit([...each.body, ...each.otherwise]);
          break;
        case 'while':
          visit([...each.body, ...each.otherwise]);
          break;
        case 'if':
          visit([...each.tests.flatMap(({ body }) => body), ...each.otherwise]);
          break;
        case 'with':
          visit(each.body);
          break;
        case 'def':
        case 'class':
          names.add(each.name);
          break;
        case 'import':
          if (each.names) for (const [, name] of each.names) names.add(name);
          else names.add(each.alias ?? each.module.split('.')[0]!);
          break;
        case 'scope':
          for (const name of each.names) others.add(name);
      }
    }
  };
  visit(body);
  for (const name of others) names.delete(name);
  return names;
}
