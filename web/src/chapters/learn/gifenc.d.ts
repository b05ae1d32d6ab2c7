// What of gifenc, which has no types of its own, is used here.
declare module 'gifenc' {
  type Palette = readonly (readonly [r: number, g: number, b: number])[];
  interface Encoder {
    /** `delay` in milliseconds; a palette of its own where it differs from the first picture's. */
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: { readonly palette: Palette; readonly delay: number; readonly repeat?: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }
  export function GIFEncoder(): Encoder;
  /** At most so many colours, of 4 bytes a pixel. */
  export function quantize(rgba: Uint8ClampedArray, most: number): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
}
