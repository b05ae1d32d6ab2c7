declare module '$opening' {
  type Made = import('./protocol').Opening;
  /** As it is written: of weights only what the mask lets through. */
  const opening: Omit<Made, 'reading'> & {
    readonly reading: Omit<Made['reading'], 'weights'> & {
      readonly weights: readonly (readonly number[])[];
    };
  };
  export default opening;
}
declare module '$opening/heads' {
  /** [T, T] each. */
  const heads: { readonly tokens: number; readonly heads: readonly (readonly number[])[] };
  export default heads;
}
