// What the figures themselves say, in any chapter.
export const figureText = {
  hidden: 'hidden by the mask',
  ownScale: 'own scale',
  sharedScale: 'shared scale',
  negative: 'negative',
  positive: 'positive',
  matrix: (name: string, rows: number, cols: number, down: string, across: string) =>
    `${name}, ${rows} by ${cols}. Down: ${down}. Across: ${across}. Arrow keys move, Enter pins, Escape frees.`,
  small: 'Cells are too small here for numbers: point at one.',
  player: {
    back: 'Step back',
    step: 'Step on',
    play: 'Play',
    pause: 'Pause',
  },
  why: {
    pinned: 'Pinned: free it (Escape)',
    more: (n: number) => ` + … ${n} more`,
    edit: 'New value',
    set: 'Set',
    notANumber: 'Not a number.',
  },
  asTable: (name: string) => `${name} as a table, all digits`,
} as const;
