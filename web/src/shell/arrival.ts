// The page that a visitor comes to was made when all was built, and is brought to life; the next ones are made on the spot.

/** Whether the page has come to life; never, while pages are being made. */
export const arrival = { over: false };
