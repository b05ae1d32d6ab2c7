/** Options with their names from the page's words. */
export const named = <const Id extends string>(
  ids: readonly Id[],
  names: Readonly<Record<Id, string>>,
): { readonly id: Id; readonly name: string }[] => ids.map((id) => ({ id, name: names[id] }));
