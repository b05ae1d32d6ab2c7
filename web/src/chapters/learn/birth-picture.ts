// A head through its training as an animated picture: its attention, and the loss so far. The format is GIF, which
// plays wherever pictures are shown.
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import type { Frame } from '../../compute/shared/training/protocol';
import { inText } from '../../figures/format';
import type { Drawn } from '../../figures/matrix';
import { theme } from '../../figures/palette.svelte';
import { strengthOf } from '../../figures/points';
import { chosenFrames, delaysOf, height, size, width } from './birth-frames';
import text from '$texts/learn-born.yaml';

const words = text.film;

interface Birth {
  readonly name: string;
  readonly steps: number;
  readonly frames: readonly Frame[];
  readonly drawn: (frame: Frame) => Drawn;
  /** Total duration in milliseconds (default: by the number of frames). */
  readonly lasts?: number;
}

/** The page's current colours, light or dark. */
function coloursNow() {
  const probe = document.createElement('i');
  document.body.append(probe);
  const of = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    surface: of('surface'),
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    v: of('v'),
  };
  probe.remove();
  return found;
}

function paint(
  on: OffscreenCanvasRenderingContext2D,
  birth: Birth,
  frame: Frame,
  colours: ReturnType<typeof coloursNow>,
): void {
  const { matrix, role, hidden } = birth.drawn(frame);
  const { side, margin, title, curve } = size;
  on.fillStyle = colours.surface;
  on.fillRect(0, 0, width, height);
  on.fillStyle = colours.ink;
  on.font = '500 16px sans-serif';
  on.fillText(words.title({ name: birth.name }), margin, margin + 14);
  const top = margin + title;
  const cell = side / matrix.rows;
  const [r, g, b] = theme.palette[role];
  for (let i = 0; i < matrix.data.length; ++i) {
    const [row, col] = [Math.floor(i / matrix.cols), i % matrix.cols];
    if (hidden(row, col)) continue;
    on.fillStyle = `rgb(${r} ${g} ${b} / ${strengthOf(matrix.data[i])})`;
    on.fillRect(margin + col * cell, top + row * cell, Math.ceil(cell), Math.ceil(cell));
  }
  const base = top + side + margin + curve;
  const highest = Math.max(...birth.frames.map(({ loss }) => loss));
  const x = (step: number) => margin + (step / birth.steps) * side;
  const y = (loss: number) => base - (loss / highest) * (curve - 22);
  on.strokeStyle = colours.line;
  on.lineWidth = 1;
  on.strokeRect(margin + 0.5, base - curve + 22.5, side - 1, curve - 23);
  on.strokeStyle = colours.v;
  on.lineWidth = 2;
  on.beginPath();
  for (const one of birth.frames) {
    if (one.step > frame.step) break;
    on.lineTo(x(one.step), y(one.loss));
  }
  on.stroke();
  on.fillStyle = colours.v;
  on.beginPath();
  on.arc(x(frame.step), y(frame.loss), 4, 0, 2 * Math.PI);
  on.fill();
  on.fillStyle = colours.soft;
  on.font = '13px sans-serif';
  const said = words.said({ step: frame.step, loss: inText(frame.loss) });
  on.fillText(said, margin, base - curve + 12);
}

/** Encodes a GIF; the page stays responsive between two frames. */
export async function birthPicture(birth: Birth): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(width, height);
  const on = canvas.getContext('2d', { willReadFrequently: true })!;
  const frames = chosenFrames(birth.frames);
  const delays = delaysOf(frames.length, birth.lasts);
  const gif = GIFEncoder();
  const colours = coloursNow();
  for (const [i, frame] of frames.entries()) {
    paint(on, birth, frame, colours);
    const { data } = on.getImageData(0, 0, width, height);
    const palette = quantize(data, 256);
    const how = { palette, delay: delays[i], repeat: 0 };
    gif.writeFrame(applyPalette(data, palette), width, height, how);
    await new Promise((done) => setTimeout(done));
  }
  gif.finish();
  return gif.bytes();
}
