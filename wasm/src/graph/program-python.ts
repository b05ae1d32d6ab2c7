// Writes a graph as a Python program, with NumPy or PyTorch. Values without a name that are read once are written in
// place.
import { evaluate, namesOf, parseSize, sizeText, type Size } from './sizes.js';
import { isFused, isHidden, isInput, type Step } from './plan.js';
import { nameIn, type Source } from './program-source.js';

const arrays = { NumPy: 'np', PyTorch: 'torch' } as const;

/** The softmax of a row of -inf is NaN in PyTorch, and 0 in the core. */
const torchSoftmax = `def softmax(x, dim):
    empty = (x == -torch.inf).all(dim, keepdim=True)
    return torch.softmax(x, dim).masked_fill(empty, 0)  # what sees nothing is 0`;

/** Whether softmax may get a row of -inf: with any mask other than `causal`, in which every query sees itself. */
function maySeeNothing({ node, inputs: [from] }: Step): boolean {
  if (node.operation !== 'softmax' || from?.node.operation !== 'mask') return false;
  const { window, strided, padding } = from.node.options;
  return from.inputs.length > 1 || [window, strided, padding].some(Boolean);
}

/** Returns the shortest text of this number as a float32. */
export function float(value: number): string {
  for (let digits = 6; digits < 9; ++digits) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(Number(value.toPrecision(9)));
}

export function pythonProgram(source: Source, language: 'NumPy' | 'PyTorch'): string {
  const { steps, sizes, shown } = source;
  const library = arrays[language];
  const write = (value: number) =>
    Number.isFinite(value) ? float(value) : String(value).replace(/Infinity|NaN/, constantOf);
  const constantOf = (name: string) => `${library}.${name === 'NaN' ? 'nan' : 'inf'}`;
  const literal = (step: Step) => {
    const numbers = Array.from(source.numbers(step), write).join(', ');
    const shape = source.sized(step).output.join(', ');
    const maker = language === 'NumPy' ? 'np.array' : 'torch.tensor';
    return `${maker}([${numbers}], dtype=${library}.float32).reshape(${shape})`;
  };

  const readers = (step: Step) =>
    steps.flatMap(({ inputs }) => inputs).filter((each) => each === step).length;
  const names = new Set(steps.map(nameIn));
  const usedSizes = new Set<string>();
  const helpers = new Set<string>();
  const expressions = new Map<Step, string>();
  const lines: string[] = [];
  for (const step of steps) {
    const name = nameIn(step);
    if (isInput(step) || isFused(step.operation)) {
      expressions.set(step, name);
      continue;
    }
    let node = source.sized(step);
    if (step.node.operation === 'number') {
      const size = parseSize('program', 'value', (node.options as { value: Size }).value);
      const used = namesOf(size);
      const isFree = used.every((each) => !names.has(each));
      if (isFree) for (const each of used) usedSizes.add(each);
      node = { ...node, options: { value: isFree ? sizeText(size) : evaluate(size, sizes) } };
    }
    const args = step.inputs.map((each) => expressions.get(each)!);
    let text = step.operation[language === 'NumPy' ? 'numpy' : 'pytorch'](args, node);
    if (language === 'NumPy' && step.operation.helper) helpers.add(step.operation.helper);
    if (language === 'PyTorch' && maySeeNothing(step)) {
      text = text.replace(/^torch\./u, '');
      helpers.add(torchSoftmax);
    }
    const isInline = isHidden(step) && readers(step) === 1 && !shown.includes(step);
    expressions.set(step, isInline ? text : name);
    if (!isInline) lines.push(`${name} = ${text}`);
  }

  const inputs = steps.filter(isInput).map((step) => `${nameIn(step)} = ${literal(step)}`);
  const given = [...usedSizes].map((name) => `${name} = ${sizes[name]}`);
  const expected = shown.map((step) => `    (${nameIn(step)}, ${literal(step)}),`);
  const flat = language === 'NumPy' ? 'np.asarray(found).reshape(-1)' : 'found.reshape(-1)';
  const differ = `def differ(found, expected):
    pairs = zip(${flat}.tolist(), expected.reshape(-1).tolist())
    return max((abs(a - b) for a, b in pairs if a != b and (a == a or b == b)), default=0.0)`;
  const needsMath = [...helpers].some((helper) => helper.includes('math.'));
  const parts = [
    [
      ...(needsMath ? ['import math'] : []),
      language === 'NumPy' ? 'import numpy as np' : 'import torch',
    ],
    [...inputs, ...given],
    ...[...helpers].map((helper) => [`\n${helper}\n`]),
    lines,
    ['# What was found.', 'expected = [', ...expected, ']'],
    [`\n${differ}\n`],
    ['print("largest difference:", max((differ(a, b) for a, b in expected), default=0.0))'],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}
