/** Pixels across the inside of the card whose still is being made; in a browser it is not known until it is measured. */
export const card = { width: 0 };
