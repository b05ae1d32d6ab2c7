// The first page of a visit is prerendered and hydrated; the next ones are rendered on the spot.

/** Whether the page is hydrated; never while pages are prerendered. */
export const arrival = { over: false };
