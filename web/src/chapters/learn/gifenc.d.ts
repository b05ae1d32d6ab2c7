// Types of the part of gifenc used here, since it has none of its own.
declare module 'gifenc' {
  type Palette = readonly (readonly [r: number, g: number, b: number])[];
  interface Encoder {
    /** `delay` in milliseconds; a separate palette if it differs from the first frame's. */
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
  /** At most `most` colours, from 4 bytes per pixel. */
  export function quantize(rgba: Uint8ClampedArray, most: number): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
}
