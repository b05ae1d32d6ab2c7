/** A value as a message shows it. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') {
    const { constructor } = value;
    return typeof constructor === 'function' ? `a ${constructor.name}` : 'a bare object';
  }
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? `"${value}"` : String(value);
}
