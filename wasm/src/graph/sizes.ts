// Sizes as a graph writes them, 'T', 'H*D' or 'C/3 + 1': sums of products of names. Equal sizes compare equal, and
// costs add up, without any number.
import { TrilError } from '../error.js';
import { describe } from '../names.js';

/** A size: a number, or a formula of named sizes, such as `'T'`, `'H*D'`, `'C/3'` or `'T + 1'`. */
export type Size = number | string;

/** The numbers of the named sizes. */
export type Sizes = Readonly<Record<string, number>>;

/**
 * A sum: the coefficient of each product. The key of a product has its factors in alphabetical order, as `H^-1 T^2`.
 */
export type Sum = ReadonlyMap<string, number>;

type Powers = ReadonlyMap<string, number>;

const powersOf = (product: string): Powers =>
  new Map(
    product
      .split(' ')
      .filter(Boolean)
      .map((factor) => {
        const [name = '', power = '1'] = factor.split('^');
        return [name, Number(power)];
      }),
  );

function productOf(powers: Powers): string {
  const factors = [...powers].filter(([, power]) => power !== 0);
  return factors
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, power]) => (power === 1 ? name : `${name}^${power}`))
    .join(' ');
}

function sumOf(terms: Iterable<readonly [string, number]>): Sum {
  const sum = new Map<string, number>();
  for (const [product, factor] of terms) sum.set(product, (sum.get(product) ?? 0) + factor);
  // 1/3 and 2/3 add up to 1 except for rounding, so a tiny coefficient is 0.
  for (const [product, factor] of sum) if (!(Math.abs(factor) > 1e-12)) sum.delete(product);
  return sum;
}

export const constant = (value: number): Sum => sumOf([['', value]]);
export const one: Sum = constant(1);

/** Most sums have no names and are computed as numbers. */
const arePlain = (sums: readonly Sum[]): boolean =>
  sums.every((sum) => sum.size === 0 || (sum.size === 1 && sum.has('')));
const plain = (sum: Sum): number => sum.get('') ?? 0;

export const plus = (...sums: readonly Sum[]): Sum =>
  arePlain(sums)
    ? constant(sums.reduce((all, sum) => all + plain(sum), 0))
    : sumOf(sums.flatMap((sum) => [...sum]));

export function times(...sums: readonly Sum[]): Sum {
  if (arePlain(sums)) return constant(sums.reduce((all, sum) => all * plain(sum), 1));
  return sums.reduce(
    (a, b) =>
      sumOf(
        [...a].flatMap(([left, x]) =>
          [...b].map(([right, y]) => {
            const powers = new Map(powersOf(left));
            for (const [name, power] of powersOf(right)) {
              powers.set(name, (powers.get(name) ?? 0) + power);
            }
            return [productOf(powers), x * y] as const;
          }),
        ),
      ),
    one,
  );
}

/** `a / b` for one product `b`; undefined if `b` is a sum, or 0. */
export function over(a: Sum, b: Sum): Sum | undefined {
  const [[product, factor] = ['', 0], ...others] = b;
  if (factor === 0 || others.length > 0) return undefined;
  const inverse = new Map([...powersOf(product)].map(([name, power]) => [name, -power]));
  return times(a, new Map([[productOf(inverse), 1 / factor]]));
}

export const minus = (a: Sum, b: Sum): Sum => plus(a, times(constant(-1), b));
export const equal = (a: Sum, b: Sum): boolean => minus(a, b).size === 0;
/** The number of elements of a tensor of this shape. */
export const count = (shape: readonly Sum[]): Sum => times(...shape);

/** The number of a sum without names; else undefined. */
export const numberOf = (sum: Sum): number | undefined =>
  [...sum.keys()].every((product) => product === '') ? (sum.get('') ?? 0) : undefined;

export const namesOf = (sum: Sum): string[] => [
  ...new Set([...sum.keys()].flatMap((product) => [...powersOf(product).keys()])),
];

/** The value of a sum; NaN if a name has no number. */
export function evaluate(sum: Sum, sizes: Sizes): number {
  let value = 0;
  for (const [product, factor] of sum) {
    let term = factor;
    for (const [name, power] of powersOf(product)) term *= (sizes[name] ?? Number.NaN) ** power;
    value += term;
  }
  // 2/3 of 6 is 4, in spite of the rounding of 2/3.
  return Math.abs(value - Math.round(value)) < 1e-9 ? Math.round(value) : value;
}

/** A coefficient as a simple fraction, if it is one: numerator and denominator. */
function fraction(value: number): readonly [number, number] {
  for (let below = 1; below <= 64; ++below) {
    const above = Math.round(value * below);
    if (Math.abs(value * below - above) < 1e-9) return [above, below];
  }
  return [value, 1];
}

const repeated = (name: string, power: number) => Array.from({ length: power }, () => name);

/** The text of a sum for `parseSize`, Python, C++ and JavaScript: `2*D*T*T - C/H`. */
export function sizeText(sum: Sum): string {
  if (sum.size === 0) return '0';
  const text = [...sum].map(([product, factor]) => {
    const powers = [...powersOf(product)];
    const above = powers.flatMap(([name, power]) => repeated(name, power));
    const below = powers.flatMap(([name, power]) => repeated(name, -power));
    const [size, divisor] = fraction(Math.abs(factor));
    const factors = size === 1 && above.length > 0 ? above : [String(size), ...above];
    const divisors = divisor === 1 ? below : [String(divisor), ...below];
    return [factor < 0 ? '-' : '+', [factors.join('*'), ...divisors].join('/')];
  });
  const [[sign, first] = ['', ''], ...rest] = text;
  return [(sign === '-' ? '-' : '') + first, ...rest.map((term) => term.join(' '))].join(' ');
}

/** The TeX of a sum: `2 D T^{2}`. */
export function sizeTex(sum: Sum): string {
  if (sum.size === 0) return '0';
  const text = [...sum].map(([product, factor]) => {
    const powers = [...powersOf(product)];
    const factors = (sign: number) =>
      powers
        .filter(([, power]) => power * sign > 0)
        .map(([name, power]) => (power * sign === 1 ? name : `${name}^{${power * sign}}`));
    const [size, divisor] = fraction(Math.abs(factor));
    const number = size === 1 ? [] : [String(size)];
    const above = [...number, ...factors(1)].join(' ') || '1';
    const below = [...(divisor > 1 ? [String(divisor)] : []), ...factors(-1)].join(' ');
    return `${factor < 0 ? '-' : '+'} ${below ? `\\frac{${above}}{${below}}` : above}`;
  });
  return text.join(' ').replace(/^\+ /, '').replace(/^- /, '-');
}

/** Reads a size. @throws TrilError if it is not a size */
export function parseSize(call: string, argument: string, size: unknown): Sum {
  if (typeof size === 'number' && Number.isFinite(size)) return constant(size);
  const refuse = (problem: string) => new TrilError(call, argument, problem);
  if (typeof size !== 'string') {
    throw refuse(`must be a number or a named size such as "T" or "H*D", is ${describe(size)}`);
  }
  const tokens = size.match(/[A-Za-z]\w*|\d+(?:\.\d+)?|\S/g) ?? [];
  let next = 0;
  const wrong = () => refuse(`cannot be read as a size: ${describe(size)}`);
  const factor = (): Sum => {
    const token = tokens[next++] ?? '';
    if (/^[A-Za-z]/.test(token)) return new Map([[token, 1]]);
    if (/^\d/.test(token)) return constant(Number(token));
    if (token !== '(') throw wrong();
    const inside = sum();
    if (tokens[next++] !== ')') throw wrong();
    return inside;
  };
  const product = (): Sum => {
    let value = factor();
    while (tokens[next] === '*' || tokens[next] === '/') {
      const quotient = tokens[next++] === '*' ? times(value, factor()) : over(value, factor());
      if (!quotient) throw refuse(`can be divided by one product only: ${describe(size)}`);
      value = quotient;
    }
    return value;
  };
  const sum = (): Sum => {
    let value = tokens[next] === '-' ? constant(0) : product();
    while (tokens[next] === '+' || tokens[next] === '-') {
      value = tokens[next++] === '+' ? plus(value, product()) : minus(value, product());
    }
    return value;
  };
  const value = sum();
  if (next < tokens.length) throw wrong();
  return value;
}

/** The text of a shape in messages: `[T, 2*D]`. */
export const shapeText = (shape: readonly Sum[]): string => `[${shape.map(sizeText).join(', ')}]`;
