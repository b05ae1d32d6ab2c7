// A traced figure painted on a canvas with the page's own fonts, piece by piece.
import { facesOfPage, styleOf, type Face } from './picture-fonts';
import { svgOf } from './picture-svg';
import { Pieces } from './pieces';
import {
  cssOf,
  isGradient,
  type Box,
  type Colour,
  type Drawing,
  type Gradient,
  type Part,
  type Rect,
  type Stroke,
  type TextLine,
  type Traced,
} from './traced';

/**
 * The browser records paint operations and executes them when the task ends. So a task paints at most this many parts.
 */
const few = 60;

type Ink = OffscreenCanvasRenderingContext2D;

const cssColour = ({ hex, alpha }: Colour) =>
  `${hex}${Math.round(255 * alpha)
    .toString(16)
    .padStart(2, '0')}`;

function filling(ink: Ink, fill: Colour | Gradient, { left, width }: Rect) {
  if (!isGradient(fill)) return cssColour(fill);
  const gradient = ink.createLinearGradient(left, 0, left + width, 0);
  for (const { place, colour } of fill.stops) gradient.addColorStop(place / 100, cssColour(colour));
  return gradient;
}

function stroke(ink: Ink, { colour, width, dash }: Stroke): void {
  ink.strokeStyle = cssColour(colour);
  ink.lineWidth = width;
  ink.setLineDash(dash > 0 ? [dash] : []);
  ink.stroke();
}

function paintRect(ink: Ink, rect: Rect): void {
  const { left, top, width, height, radius } = rect;
  ink.beginPath();
  if (radius > 0) ink.roundRect(left, top, width, height, radius);
  else ink.rect(left, top, width, height);
  if (rect.stroke) return stroke(ink, rect.stroke);
  if (!rect.fill) return;
  ink.fillStyle = filling(ink, rect.fill, rect);
  ink.fill();
}

/** Paints a text as wide as the browser set it, whatever its letter spacing. */
function paintText(ink: Ink, { text, left, baseline, width, font, colour, struck }: TextLine) {
  ink.font = cssOf(font);
  ink.fillStyle = cssColour(colour);
  const stretch = width / ink.measureText(text).width;
  // The browser caches glyphs for each size. With its own stretch, every text would need new ones.
  if (Math.abs(stretch - 1) * width < 0.5) ink.fillText(text, left, baseline);
  else {
    ink.save();
    ink.translate(left, baseline);
    ink.scale(stretch, 1);
    ink.fillText(text, 0, 0);
    ink.restore();
  }
  if (struck) ink.fillRect(left, baseline - 0.3 * font.size, width, font.size / 16);
}

function paint(ink: Ink, part: Exclude<Part, Drawing>): void {
  switch (part.kind) {
    case 'rect':
      return paintRect(ink, part);
    case 'line': {
      const [x1, y1, x2, y2] = part.ends;
      ink.beginPath();
      ink.moveTo(x1, y1);
      ink.lineTo(x2, y2);
      return stroke(ink, part.stroke);
    }
    case 'text':
      return paintText(ink, part);
    case 'image':
      ink.imageSmoothingEnabled = !part.sharp;
      return ink.drawImage(part.canvas, part.left, part.top, part.width, part.height);
    case 'group': {
      ink.save();
      if (!part.turn) return;
      const { x, y, matrix } = part.turn;
      ink.translate(x, y);
      ink.transform(...matrix, 0, 0);
      return ink.translate(-x, -y);
    }
    case 'end':
      return ink.restore();
  }
}

/** Drawings with nothing between them, as one image as large as the picture, fonts included. */
async function imageOf(
  drawings: readonly Drawing[],
  frame: Box,
  faces: readonly Face[],
): Promise<HTMLImageElement> {
  const fonts = drawings.flatMap((drawing) => drawing.fonts);
  const svg = await svgOf({ frame, parts: drawings }, { style: await styleOf(fonts, faces) });
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

/** Paints the figure at `scale` times its size on the page. */
export async function canvasOf(traced: Traced, scale: number): Promise<OffscreenCanvas> {
  const { frame, parts } = traced;
  const faces = facesOfPage();
  const canvas = new OffscreenCanvas(scale * frame.width, scale * frame.height);
  const ink = canvas.getContext('2d')!;
  ink.scale(scale, scale);
  ink.translate(-frame.left, -frame.top);
  const pieces = new Pieces();
  for (let i = 0; i < parts.length; ++i) {
    const part = parts[i];
    if (part.kind === 'drawing') {
      const drawings = [part];
      for (let next = parts[i + 1]; next?.kind === 'drawing'; next = parts[++i + 1]) {
        drawings.push(next);
      }
      const image = await imageOf(drawings, frame, faces);
      ink.drawImage(image, frame.left, frame.top, frame.width, frame.height);
      await pieces.next();
    } else {
      paint(ink, part);
      if (i % few === 0 || pieces.isOver()) await pieces.next();
    }
  }
  return canvas;
}
