// A traced figure as a self-contained SVG: nothing refers to the page.
import { Pieces } from './pieces';
import { isGradient, type Colour, type Part, type Rect, type Stroke, type Traced } from './traced';

const namespace = 'http://www.w3.org/2000/svg';

export const round = (value: number) => Math.round(100 * value) / 100;

/** Characters that XML forbids, such as the control characters that an untrained model writes. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const escaped = (text: string) =>
  text
    .replace(forbidden, '\uFFFD')
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/>/gu, '&gt;')
    .replace(/"/gu, '&quot;');

function painted(name: 'fill' | 'stroke', { hex, alpha }: Colour): string {
  const opacity = round(alpha);
  return opacity < 1 ? `${name}="${hex}" ${name}-opacity="${opacity}"` : `${name}="${hex}"`;
}

function stroked({ colour, width, dash }: Stroke): string {
  const dashes = dash > 0 ? ` stroke-dasharray="${round(dash)}"` : '';
  return `fill="none" ${painted('stroke', colour)} stroke-width="${round(width)}"${dashes}`;
}

function rect({ left, top, width, height, radius, fill, stroke }: Rect, id: string): string {
  const corner = radius > 0 ? ` rx="${round(radius)}"` : '';
  const place = `x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}"${corner}`;
  if (stroke) return `<rect ${place} ${stroked(stroke)}/>`;
  if (!fill) return '';
  if (!isGradient(fill)) return `<rect ${place} ${painted('fill', fill)}/>`;
  const stops = fill.stops.map(
    (stop) =>
      `<stop offset="${stop.place}%" stop-color="${stop.colour.hex}" stop-opacity="${round(stop.colour.alpha)}"/>`,
  );
  const gradient = `<linearGradient id="${id}" x1="0" x2="1">${stops.join('')}</linearGradient>`;
  return `${gradient}<rect ${place} fill="url(#${id})"/>`;
}

function written(part: Part, id: string): string {
  switch (part.kind) {
    case 'rect':
      return rect(part, id);
    case 'line': {
      const [x1, y1, x2, y2] = part.ends.map(round);
      return `<path d="M${x1} ${y1}L${x2} ${y2}" ${stroked(part.stroke)}/>`;
    }
    case 'text': {
      const { family, size, style, weight } = part.font;
      const slant = style === 'normal' ? '' : ` font-style="${style}"`;
      const bold = weight === '400' ? '' : ` font-weight="${weight}"`;
      const struck = part.struck ? ' text-decoration="line-through"' : '';
      const font = `font-family="${escaped(family)}" font-size="${round(size)}"${slant}${bold}${struck}`;
      return `<text x="${round(part.left)}" y="${round(part.baseline)}" textLength="${round(part.width)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${font} ${painted('fill', part.colour)}>${escaped(part.text)}</text>`;
    }
    case 'image': {
      const sharp = part.sharp ? ' image-rendering="pixelated"' : '';
      return `<image x="${round(part.left)}" y="${round(part.top)}" width="${round(part.width)}" height="${round(part.height)}" preserveAspectRatio="none"${sharp} href="${part.canvas.toDataURL()}"/>`;
    }
    case 'drawing':
      return part.svg.replace(forbidden, '\uFFFD');
    case 'group': {
      const names = Object.entries(part.names).map(
        ([name, value]) => ` data-${name}="${escaped(value)}"`,
      );
      if (!part.turn) return `<g${names.join('')}>`;
      const [x, y] = [round(part.turn.x), round(part.turn.y)];
      const turn = part.turn.matrix.map((value) => value.toFixed(4)).join(' ');
      return `<g${names.join('')} transform="translate(${x} ${y}) matrix(${turn} 0 0) translate(${-x} ${-y})">`;
    }
    case 'end':
      return '</g>';
  }
}

/** Writes the figure at its size on the page; `style` contains the CSS that it needs. */
export async function svgOf(
  { frame, parts }: Traced,
  { about = '', style = '' } = {},
): Promise<string> {
  const { left, top, width, height } = frame;
  const size = `viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}"`;
  const described = about && `<desc>${escaped(about)}</desc>`;
  const pieces = new Pieces();
  const drawn: string[] = [];
  for (const part of parts) {
    drawn.push(written(part, `gradient-${drawn.length}`));
    if (pieces.isOver()) await pieces.next();
  }
  return `<svg xmlns="${namespace}" ${size}>${described}${style}${drawn.join('')}</svg>\n`;
}
