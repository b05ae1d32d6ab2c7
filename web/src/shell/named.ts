/** Some to choose from, each with the name that the page's words give it. */
export const named = <const Id extends string>(
  ids: readonly Id[],
  names: Readonly<Record<Id, string>>,
): { readonly id: Id; readonly name: string }[] => ids.map((id) => ({ id, name: names[id] }));
