// Addresses as tests write them: "attend?step=q", a chapter and its state.

/** Below the page of pages. */
export function placeOf(address: string): string {
  const [chapter, ...query] = address.split('?');
  return `${chapter}/${query.length > 0 ? `#?${query.join('?')}` : ''}`;
}

/** Figures that a chapter shows as a motion where its address says so. */
export const motions = [
  'attend?step=scores&moves=yes',
  'attend?step=output&moves=yes',
  'attend?laid=yes',
] as const;
