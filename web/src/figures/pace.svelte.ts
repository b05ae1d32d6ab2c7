// How fast what plays goes by: one choice for all figures, kept while the page is open.

const speeds = [1, 2, 4] as const;

class Pace {
  times = $state<(typeof speeds)[number]>(1);

  /** The next of the speeds, after the fastest the slowest again. */
  change(): void {
    this.times = speeds[(speeds.indexOf(this.times) + 1) % speeds.length];
  }
}

export const pace = new Pace();
