/** Inner width in pixels of the card that is being prerendered; unknown in a browser until it is measured. */
export const card = { width: 0 };
