// Hides scores by -inf or another number: where `seen` is 0, and where a rule hides the key; without both, keys after
// the query.
import { define, number } from '../operation.js';
import { constant, numberOf } from '../sizes.js';
import { back, broadcast, product } from './common.js';
import { checkPadding, cppRules, pythonRules, ruleOptions } from './rules.js';
import { rulesTex, sees, shown, type Rules } from './rules.js';

/** The rules of a mask; undefined if only `seen` hides keys. */
function rulesOf(rules: Rules, seen: unknown): Rules | undefined {
  const { causal, window, strided, padding } = rules;
  if (causal || window || strided || padding) return rules;
  return seen === undefined ? { ...rules, causal: true } : undefined;
}

/** The value of hidden scores in a program that writes infinity as `inf`. */
const written = (hidden: number, inf: string): string =>
  Number.isInteger(hidden) ? hidden.toFixed(1) : String(hidden).replace('Infinity', inf);

export const mask = define<Rules & { hidden: number }>({
  takes: ['x', 'seen?'],
  options: { ...ruleOptions, hidden: number(-Infinity) },
  shape: ([x, seen], options, fail) => {
    let shape = x!;
    if (seen) {
      shape = broadcast(x!, seen, 'seen', fail);
      const isNumber = x!.every((size) => numberOf(size) === 1);
      if (shape.length > x!.length && !isNumber)
        throw fail('seen', 'must have no more axes than x');
    }
    const isRuled = rulesOf(options, seen) !== undefined;
    if (isRuled && (shape.length < 2 || shape.length > 4)) {
      throw fail('x', `must have at ${shape.length < 2 ? 'least two' : 'most four'} axes`);
    }
    checkPadding(options, shape, fail);
    return shape;
  },
  run: (tril, [x, seen], { options, output }) => {
    const rules = rulesOf(options, seen);
    const ruled = rules ? tril.where(shown(tril, rules, output), x!, options.hidden) : x!;
    return seen ? tril.where(seen, ruled, options.hidden) : ruled;
  },
  cells: (index, { inputs: [x, seen], options }, read) => {
    const rules = rulesOf(options, seen);
    const isSeen = !seen || read([1, back(seen, index)]) !== 0;
    return isSeen && (!rules || sees(rules, index)) ? [[[0, back(x!, index)]]] : [];
  },
  why: ([term], { options: { hidden } }) => term?.[0] ?? String(hidden).replace('Infinity', 'inf'),
  gradient: (tril, d, { tensors: [x, seen], options, output }) => {
    const rules = rulesOf(options, seen);
    const ruled = rules ? tril.where(shown(tril, rules, output), d, 0) : d;
    return [tril.sumTo(seen ? tril.where(seen, ruled, 0) : ruled, x!.shape)];
  },
  numpy: ([x, seen], { options, output }) => {
    const rules = rulesOf(options, seen);
    const all = [seen, rules && pythonRules(rules, 'np', output)].filter(Boolean);
    const isSeen = all.length > 1 ? `np.logical_and(${all.join(', ')})` : all[0];
    return `np.where(${isSeen}, ${x}, np.float32(${written(options.hidden, 'np.inf')}))`;
  },
  pytorch: ([x, seen], { options, output }) => {
    const rules = rulesOf(options, seen);
    const all = [seen, rules && pythonRules(rules, 'torch', output)].filter(Boolean);
    const isSeen = all.length > 1 ? `torch.logical_and(${all.join(', ')})` : `(${all[0]}).bool()`;
    return `torch.where(${isSeen}, ${x}, ${written(options.hidden, 'torch.inf')})`;
  },
  cpp: ([x, seen], { options, output }, out) => {
    const hidden = written(options.hidden, 'INFINITY');
    const rules = rulesOf(options, seen);
    const first = `{ const float hidden = ${hidden}; where(${seen}, ${x}, hidden, ${out}); }`;
    const from = seen === undefined ? x : out;
    const second = `for (Index n = 0; n < ${product(output)}; ++n)
  ${out}.data()[n] = ${rules && cppRules(rules, output)} ? ${from}.data()[n] : static_cast<float>(${hidden});`;
    return [...(seen === undefined ? [] : [first]), ...(rules ? [second] : [])].join('\n');
  },
  flops: () => constant(0),
  tex: ([x, seen], { options }) =>
    `\\mathrm{mask}${rulesTex(options)}\\left(${[x, seen].filter(Boolean).join(', ')}\\right)`,
});
