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
    count: (at: string, last: string) => `${at} of ${last}`,
  },
  why: {
    pinned: 'Pinned: free it (Escape)',
    more: (n: number) => ` + … ${n} more`,
    smaller: (n: number) => ` + … ${n} smaller`,
    zeros: (n: number) => (n === 1 ? ' and 1 with a zero' : ` and ${n} with a zero`),
    allDigits: 'All digits:',
    reset: 'Reset',
    edit: 'New value',
    set: 'Set',
    notANumber: 'Not a number.',
  },
  take: {
    label: 'Take it along:',
    link: 'Link',
    png: 'PNG',
    svg: 'SVG',
    code: {
      numpy: 'NumPy',
      pytorch: 'PyTorch',
      cpp: 'C++',
      csv: 'CSV',
      javascript: 'JavaScript',
    },
    copied: 'Copied',
    notCopied: 'Copying is not allowed here',
    saved: 'Saved',
    notSaved: 'This picture could not be made here',
  },
  notComputed: 'not computed',
  cost: {
    flops: 'flop',
    bytes: 'B',
    intensity: 'flop/B',
    intensityHint: 'Operations for every byte that must be read or written at least',
    time: 'here',
    measuring: 'measuring',
    unmeasured: 'not measured',
    speed: 'GFLOP/s',
  },
  heat: {
    label: (name: string, rows: number, cols: number, down: string, across: string) =>
      `${name}, ${rows} by ${cols}, as a picture. Down: ${down}. Across: ${across}. Arrow keys move from cell to cell.`,
    summary: (least: string, leastAt: string, most: string, mostAt: string) =>
      `From ${least} at ${leastAt} to ${most} at ${mostAt}.`,
    odd: (count: number) => ` ${count} of its numbers are NaN.`,
    hint: 'Point at a cell, or use the arrow keys.',
    part: (rows: string, cols: string) => `rows ${rows}, columns ${cols}, around the cell at hand`,
  },
  maskGrid: {
    label: (name: string, rows: number, cols: number, down: string, across: string) =>
      `${name}, ${rows} by ${cols}. Down: ${down}. Across: ${across}. Arrow keys move, the space bar hides a cell or shows it, Shift and an arrow key carry on, Enter pins.`,
    seen: 'may be seen',
    hidden: 'hidden',
  },
  asTable: (name: string) => `${name} as a table, all digits`,
} as const;
