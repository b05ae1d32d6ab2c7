// Any CSS colour as #rrggbb and an opacity.
import type { Colour } from './traced';

export class Colours {
  readonly #ink: CanvasRenderingContext2D;
  readonly #known = new Map<string, Colour>();

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    this.#ink = canvas.getContext('2d', { willReadFrequently: true })!;
  }

  of(css: string): Colour {
    const known = this.#known.get(css);
    if (known) return known;
    this.#ink.clearRect(0, 0, 1, 1);
    this.#ink.fillStyle = css;
    this.#ink.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = this.#ink.getImageData(0, 0, 1, 1).data;
    const hex = `#${[r, g, b].map((one) => one.toString(16).padStart(2, '0')).join('')}`;
    const found = { hex, alpha: a / 255 };
    this.#known.set(css, found);
    return found;
  }

  /** A colour with a share of its own opacity. */
  faded(css: string, strength: number): Colour {
    const { hex, alpha } = this.of(css);
    return { hex, alpha: alpha * strength };
  }
}
