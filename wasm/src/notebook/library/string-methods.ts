// Methods of strings.
import { checkTextLength, joined, outside, raise } from '../language/errors.js';
import { format, repr, str } from '../language/format.js';
import type { Machine } from '../language/machine.js';
import { integer, methodTable, type Args, type MethodTable } from '../language/signature.js';
import { Dict, List, Tuple, typeName, type Value } from '../language/values.js';

/** A string argument of a method. */
const text = (value: Value): string => {
  if (typeof value === 'string') return value;
  return raise('TypeError', `expected str instance, ${typeName(value)} found`);
};

/** A text stripped of some characters at its ends. */
function stripped(all: string, chars: string): string {
  const gone = new Set(chars.split(''));
  let [start, end] = [0, all.length];
  while (start < end && gone.has(all[start]!)) start += 1;
  while (end > start && gone.has(all[end - 1]!)) end -= 1;
  return all.slice(start, end);
}

/** A text with all occurrences of one text replaced by another. */
function replaced(args: Args): string {
  const [all, old, made] = [text(args['self']!), text(args['old']!), text(args['new']!)];
  // An empty text occurs between characters, before the first and after the last.
  return joined(old === '' ? ['', ...all, ''] : all.split(old), made);
}

/** `'{} {name:.2f}'.format(...)` */
function formatted(pattern: string, args: Tuple, named: Dict): string {
  let [next, size] = [0, 0];
  return pattern.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (found, field?: string) => {
    if (field === undefined) return found[0]!;
    const [, key, conversion, spec = ''] = /^(\w*)(?:!([rs]))?(?::(.*))?$/s.exec(field) ?? [];
    if (key === undefined) throw outside(`{${field}} in a text to format`, 'write an f-string');
    const at = key === '' ? next++ : Number(key);
    const value = Number.isNaN(at) ? named.get(key) : args.items[at];
    if (value === undefined) {
      if (Number.isNaN(at)) raise('KeyError', repr(key));
      raise('IndexError', `Replacement index ${at} out of range for positional args tuple`);
    }
    const plain = conversion === 'r' ? repr(value!) : conversion ? str(value!) : value!;
    const made = format(plain, spec);
    checkTextLength((size += made.length));
    return made;
  });
}

/** Methods of strings. */
export const stringMethods = (machine: Machine): MethodTable =>
  methodTable({
    upper: ['', ({ self }) => text(self!).toUpperCase()],
    lower: ['', ({ self }) => text(self!).toLowerCase()],
    strip: [
      'chars=None',
      ({ self, chars }) =>
        chars === null ? text(self!).trim() : stripped(text(self!), text(chars!)),
    ],
    split: [
      'sep=None',
      ({ self, sep }) => {
        if (sep === '') raise('ValueError', 'empty separator');
        const all = text(self!);
        return new List(sep === null ? all.split(/\s+/).filter(Boolean) : all.split(text(sep!)));
      },
    ],
    join: [
      'items',
      ({ self, items }) => joined(Array.from(machine.iterate(items!), text), text(self!)),
    ],
    replace: ['old, new', (args) => replaced(args)],
    startswith: ['prefix', ({ self, prefix }) => text(self!).startsWith(text(prefix!))],
    endswith: ['suffix', ({ self, suffix }) => text(self!).endsWith(text(suffix!))],
    ljust: [
      'width',
      ({ self, width }) => text(self!).padEnd(Math.min(1e5, integer(width!, 'width'))),
    ],
    rjust: [
      'width',
      ({ self, width }) => text(self!).padStart(Math.min(1e5, integer(width!, 'width'))),
    ],
    find: ['part', ({ self, part }) => text(self!).indexOf(text(part!))],
    count: ['part', ({ self, part }) => text(self!).split(text(part!)).length - 1],
    title: [
      '',
      ({ self }) =>
        text(self!)
          .toLowerCase()
          .replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    ],
    format: [
      '*args, **named',
      ({ self, args, named }) => formatted(text(self!), args as Tuple, named as Dict),
    ],
  });
