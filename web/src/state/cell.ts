// A cell that is pointed at, in a form that fits in an address.

/** A cell by the id of its matrix; a chapter's own cells have narrower ids. */
export interface Cell<Id extends string = string> {
  readonly matrix: Id;
  readonly row: number;
  readonly col: number;
}
