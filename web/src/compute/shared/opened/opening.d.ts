declare module '$opening' {
  const opening: import('./packed').PackedOpening;
  export default opening;
}
declare module '$opening/weights' {
  /** Layer by layer, for all heads one after another: rows as long as the mask allows. */
  const weights: readonly (readonly number[])[];
  export default weights;
}
declare module '$opening/heads' {
  /** [T, T] each. */
  const heads: { readonly tokens: number; readonly heads: readonly (readonly number[])[] };
  export default heads;
}
declare module '$opening/cache' {
  const cache: import('../../build/opened/first').FirstCache;
  export default cache;
}
declare module '$opening/away' {
  const away: import('../../build/opened/first').FirstAway;
  export default away;
}
declare module '$opening/asked' {
  const asked: readonly import('./answer').Answer[];
  export default asked;
}
declare module '$opening/patch' {
  const patch: import('../../build/opened/first').FirstPatch;
  export default patch;
}
