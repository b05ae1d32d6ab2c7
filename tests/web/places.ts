// Addresses in the tests' form: "attend?step=q", a chapter and its state.

/** The address relative to the home page. */
export function placeOf(address: string): string {
  const [chapter, ...query] = address.split('?');
  return `${chapter}/${query.length > 0 ? `#?${query.join('?')}` : ''}`;
}

/** Figures that a chapter shows as an animation if its address says so. */
export const motions = [
  'attend?step=scores&moves=yes',
  'attend?step=output&moves=yes',
  'attend?laid=yes',
] as const;
