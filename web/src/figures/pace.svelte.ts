// The speed of playing: one choice for all figures, kept while the page is open.

const speeds = [1, 2, 4] as const;

class Pace {
  times = $state<(typeof speeds)[number]>(1);

  /** Selects the next speed; after the fastest comes the slowest. */
  change(): void {
    this.times = speeds[(speeds.indexOf(this.times) + 1) % speeds.length];
  }
}

export const pace = new Pace();
