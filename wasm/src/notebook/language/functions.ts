// Calls of the program's own functions: arguments to parameters, by Python's rules.
import { raise } from './errors.js';
import { Dict, Func, Tuple, type Named, type Value } from './values.js';

const listed = (names: readonly string[]): string => {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 2) return quoted.join('');
  const comma = quoted.length > 2 ? ',' : '';
  return `${quoted.slice(0, -1).join(', ')}${comma} and ${quoted.at(-1)}`;
};

/** The value of each parameter. */
export function bind(func: Func, args: readonly Value[], named: Named): Map<string, Value> {
  const { name, parameters } = func;
  const values = new Map<string, Value>();
  const plain = parameters.filter(({ star }) => star === '');
  const positional = plain.filter(({ namedOnly }) => !namedOnly);
  const rest = parameters.find(({ star }) => star === '*');
  const others = parameters.find(({ star }) => star === '**');
  for (const [i, value] of args.slice(0, positional.length).entries()) {
    values.set(positional[i]!.name, value);
  }
  if (rest) values.set(rest.name, new Tuple(args.slice(positional.length)));
  else if (args.length > positional.length) {
    const least = positional.filter((each) => !func.fallbacks.has(each.name)).length;
    const takes =
      least < positional.length ? `from ${least} to ${positional.length}` : `${positional.length}`;
    const word = positional.length === 1 && least === 1 ? 'argument' : 'arguments';
    const were = args.length === 1 ? 'was' : 'were';
    raise(
      'TypeError',
      `${name}() takes ${takes} positional ${word} but ${args.length} ${were} given`,
    );
  }
  const extra = new Dict();
  for (const [key, value] of named) {
    if (values.has(key) && key !== rest?.name) {
      raise('TypeError', `${name}() got multiple values for argument '${key}'`);
    }
    if (plain.some((each) => each.name === key)) values.set(key, value);
    else if (others) extra.set(key, value);
    else raise('TypeError', `${name}() got an unexpected keyword argument '${key}'`);
  }
  if (others) values.set(others.name, extra);
  const isMissing = (each: { name: string }) =>
    !values.has(each.name) && !func.fallbacks.has(each.name);
  for (const isNamed of [false, true]) {
    const missing = plain.filter((each) => each.namedOnly === isNamed && isMissing(each));
    if (missing.length === 0) continue;
    const kind = isNamed ? 'keyword-only' : 'positional';
    const word = missing.length === 1 ? 'argument' : 'arguments';
    const names = listed(missing.map((each) => each.name));
    raise('TypeError', `${name}() missing ${missing.length} required ${kind} ${word}: ${names}`);
  }
  for (const each of plain) {
    if (!values.has(each.name)) values.set(each.name, func.fallbacks.get(each.name)!);
  }
  return values;
}
