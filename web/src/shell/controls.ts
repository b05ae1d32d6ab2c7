// A figure's controls as data: of a field of its chapter's state, with the words of the same name.
import type { OpenChapter } from './chapter.svelte';

/** One of a few, as Choice.svelte shows them. */
export interface Control {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string | null;
  choose(id: string): void;
  /** Each option does something, and none stays chosen. */
  readonly acts?: boolean;
}

type Words<Field extends string, Id extends string | number> = Readonly<Record<Field, string>> &
  (Id extends number
    ? { readonly [Names in `${Field}s`]?: Readonly<Record<number, string>> }
    : Readonly<Record<`${Field}s`, Readonly<Record<Id, string>>>>);

/**
 * Which of these a field is: `words.field` says what is chosen, `words.fields` what each is called, numbers as they are
 * where it does not. `also` is what else changes with it.
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
