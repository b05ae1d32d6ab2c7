// `text % values`, with C's formats.
import { ArrayValue } from '../arrays/array.js';
import { raise } from './errors.js';
import { format, repr, str } from './format.js';
import { Dict, Float, isNumber, keyOf, numberIn, Tuple, typeName, type Value } from './values.js';

const pattern = /%(?:\((\w*)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?(.?)/gsu;

/** A number in the format `type`, by an f-string's format. */
function numberText(value: Value, type: string, spec: { flags: string; rest: string }): string {
  const { flags, rest } = spec;
  if (!isNumber(value) && !(value instanceof ArrayValue))
    raise('TypeError', `%${type} format: a real number is required, not ${typeName(value)}`);
  const plain = value instanceof ArrayValue ? value.item() : numberIn(value as number);
  const isWhole = 'diuxXo'.includes(type);
  if ('xXo'.includes(type) && value instanceof Float)
    raise('TypeError', `%${type} format: an integer is required, not float`);
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const side = flags.includes('-') ? '<' : '';
  const zero = flags.includes('0') && !side ? '0' : '';
  return format(
    isWhole ? Math.trunc(plain) + 0 : new Float(plain),
    `${side}${sign}${zero}${isWhole ? rest.replace(/\..*/, '') : rest}${'iu'.includes(type) ? 'd' : type}`,
  );
}

export function percent(text: string, values: Value): string {
  const all = values instanceof Tuple ? values.items : [values];
  let at = 0;
  const valueOf = (name: unknown): Value => {
    if (typeof name !== 'string') {
      if (at === all.length) raise('TypeError', 'not enough arguments for format string');
      return all[at++]!;
    }
    if (!(values instanceof Dict)) return raise('TypeError', 'format requires a mapping');
    const found = values.entries.get(keyOf(name));
    return found ? found[1] : raise('KeyError', repr(name));
  };
  const made = text.replace(pattern, (_, name, flags: string, width, digits, type: string) => {
    if (type === '%') return '%';
    if (type === '') raise('ValueError', 'incomplete format');
    const rest = `${width}${digits === undefined ? '' : `.${digits}`}`;
    const value = valueOf(name);
    if ('sra'.includes(type)) {
      const side = flags.includes('-') ? '<' : '>';
      return format((type === 's' ? str : repr)(value), `${side}${rest}s`);
    }
    if (!'diufFeEgGxXo'.includes(type))
      raise('ValueError', `unsupported format character '${type}'`);
    return numberText(value, type, { flags, rest });
  });
  if (at < all.length && !(values instanceof Dict))
    raise('TypeError', 'not all arguments converted during string formatting');
  return made;
}
