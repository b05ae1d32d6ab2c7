// A figure's controls as data: for a field of its chapter's state, with the words of the same name.
import type { OpenChapter } from './chapter.svelte';

/** A choice of one, as Choice.svelte shows it. */
export interface Control {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string | null;
  choose(id: string): void;
  /** Each option performs an action, and none stays selected. */
  readonly acts?: boolean;
}

type Words<Field extends string, Id extends string | number> = Readonly<Record<Field, string>> &
  (Id extends number
    ? { readonly [Names in `${Field}s`]?: Readonly<Record<number, string>> }
    : Readonly<Record<`${Field}s`, Readonly<Record<Id, string>>>>);

/**
 * A choice among values of a field: `words.field` is the label, `words.fields` has the names of the values, and numbers
 * without a name stand for themselves. `also` is changed together with the field.
 */
export function choice<
  State,
  const Field extends keyof State & string,
  Id extends State[Field] & (string | number),
>(
  model: OpenChapter<State>,
  field: Field,
  ids: readonly Id[],
  words: Words<Field, Id>,
  also: Partial<State> = {},
): Control {
  const names = (words as Readonly<Record<string, unknown>>)[`${field}s`] as
    Readonly<Record<Id, string>> | undefined;
  return {
    label: (words as Readonly<Record<Field, string>>)[field],
    options: ids.map((id) => ({ id: String(id), name: names?.[id] ?? String(id) })),
    chosen: String(model.state[field]),
    choose: (chosen) =>
      model.change({ ...also, [field]: ids.find((id) => String(id) === chosen) } as Partial<State>),
  };
}
