// The browser's layout as parts of a picture: boxes as rectangles, texts line by line, drawings unchanged, canvases as
// images. Controls are omitted.
import { Colours } from './colours';
import { Pieces } from './pieces';
import {
  cssOf,
  fontOf,
  type Box,
  type Colour,
  type Gradient,
  type Part,
  type Stroke,
  type Traced,
  type Turn,
} from './traced';
import { drawingOf } from './traced-drawing';

/** Omitted elements: controls, except those that are a figure's own words, and hidden elements. */
const leftOut =
  'button:not([data-drawn]), input, select, textarea, label:has(input), details, .why:not([data-why]), .no-print, .visually-hidden, .katex-mathml';
/** Margin around everything drawn. */
const margin = 16;

/** Cached for all pictures: each new colour has to be painted to be known. */
const colours = new Colours();

/** The position of a box on the page, however far the page is scrolled. */
function onPage({ left, top, width, height }: Box): Box {
  return { left: left + scrollX, top: top + scrollY, width, height };
}
const boxOf = (element: Element) => onPage(element.getBoundingClientRect());

export class Tracing {
  readonly #parts: Part[] = [];
  readonly #ink = document.createElement('canvas').getContext('2d')!;
  readonly #pieces = new Pieces();
  #right = 0;
  #bottom = 0;
  #least = { left: Infinity, top: Infinity };

  /** The complete figure, on paper of the colour `ground`. */
  async of(figure: Element, ground: string): Promise<Traced> {
    await this.#walk(figure);
    const left = Math.floor(this.#least.left - margin);
    const top = Math.floor(this.#least.top - margin);
    const width = Math.ceil(this.#right + margin) - left;
    const height = Math.ceil(this.#bottom + margin) - top;
    const frame = { left, top, width, height };
    const paper: Part = { kind: 'rect', ...frame, radius: 0, fill: colours.of(ground) };
    return { frame, parts: [paper, ...this.#parts] };
  }

  /** A rotated element stands upright while it is traced; no frame is drawn meanwhile. */
  async #walk(element: Element, turning = false): Promise<void> {
    if (!turning && this.#pieces.isOver()) await this.#pieces.next();
    if (element.matches(leftOut)) return;
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.visibility === 'hidden') return;
    if (element instanceof SVGSVGElement) return this.#drawing(element);
    if (element instanceof HTMLCanvasElement) return this.#image(element);
    const { matrix, row, col } = (element as HTMLElement).dataset;
    const names: Record<string, string> = {};
    if (matrix) names.matrix = matrix;
    if (element.role === 'gridcell' && row !== undefined && col !== undefined) {
      names.cell = `${row}.${col}`;
    }
    const turn = this.#turn(element as HTMLElement, style);
    const grouped = turn !== undefined || Object.keys(names).length > 0;
    if (grouped) this.#parts.push({ kind: 'group', names, turn });
    this.#box(boxOf(element), style);
    for (const pseudo of ['::before', '::after']) this.#pseudo(element, pseudo);
    const walks: Promise<void>[] = [];
    for (const child of element.childNodes) {
      if (child instanceof Text) this.#text(child, style);
      else if (child instanceof Element) {
        const walk = this.#walk(child, turning || turn !== undefined);
        if (turning || turn) walks.push(walk);
        else await walk;
      }
    }
    if (grouped) this.#parts.push({ kind: 'end' });
    if (turn) (element as HTMLElement).style.transform = '';
    await Promise.all(walks);
  }

  #grow({ left, top, width, height }: Box): void {
    if (width === 0 || height === 0) return;
    this.#least = {
      left: Math.min(this.#least.left, left),
      top: Math.min(this.#least.top, top),
    };
    this.#right = Math.max(this.#right, left + width);
    this.#bottom = Math.max(this.#bottom, top + height);
  }

  /** Removes a rotation while the content is measured, and returns it as a transform of its own. */
  #turn(
    element: HTMLElement,
    { transform, transformOrigin }: CSSStyleDeclaration,
  ): Turn | undefined {
    if (!transform.startsWith('matrix(')) return undefined;
    const [a, b, c, d] = transform.slice(7).split(',').map(parseFloat);
    if (b === 0 && c === 0) return undefined;
    const before = boxOf(element);
    this.#grow(before);
    const [originX, originY] = transformOrigin.split(' ').map(parseFloat);
    element.style.transform = 'none';
    const { left, top } = boxOf(element);
    return { x: left + originX, y: top + originY, matrix: [a, b, c, d] };
  }

  #box(box: Box, style: CSSStyleDeclaration, strength = 1): void {
    const { left, top, width, height } = box;
    const padded = style.backgroundClip === 'content-box';
    const inset = (side: string) =>
      padded ? parseFloat(style.getPropertyValue(`padding-${side}`)) : 0;
    const size: Box = {
      left: left + inset('left'),
      top: top + inset('top'),
      width: width - inset('left') - inset('right'),
      height: height - inset('top') - inset('bottom'),
    };
    const given = style.borderTopLeftRadius;
    const radius = given.endsWith('%') ? (parseFloat(given) / 100) * width : parseFloat(given);
    const fill = colours.faded(style.backgroundColor, strength);
    if (fill.alpha > 0) this.#rect(size, radius, { fill });
    const gradient = this.#gradient(style.backgroundImage);
    if (gradient) this.#rect(size, radius, { fill: gradient });
    this.#borders(box, style, radius);
    this.#ring(box, style, radius, strength);
  }

  /** Gradients from left to right, or back, which fill legends. */
  #gradient(image: string): Gradient | undefined {
    const found = /^linear-gradient\((90|270)deg, (.*)\)$/u.exec(image);
    if (!found) return undefined;
    const given = found[2].split(/, (?=[a-z]+\()/u);
    const stops = given.map((colour, i) => {
      const place = /\) ([\d.]+)%$/u.exec(colour)?.[1] ?? (100 * i) / (given.length - 1);
      return {
        place: Number(place),
        colour: colours.of(colour.replace(/\) [\d.]+%$/u, ')')),
      };
    });
    if (found[1] === '90') return { stops };
    return { stops: stops.map(({ place, colour }) => ({ place: 100 - place, colour })).reverse() };
  }

  #rect(box: Box, radius: number, paint: { fill?: Colour | Gradient; stroke?: Stroke }): void {
    const { width, height } = box;
    if (width <= 0 || height <= 0) return;
    this.#grow(box);
    const corner = Math.max(0, Math.min(radius, width / 2, height / 2));
    this.#parts.push({ kind: 'rect', ...box, radius: corner, ...paint });
  }

  #borders({ left, top, width, height }: Box, style: CSSStyleDeclaration, radius: number): void {
    const sides = ['top', 'right', 'bottom', 'left'].map((side) => ({
      width: parseFloat(style.getPropertyValue(`border-${side}-width`)),
      line: style.getPropertyValue(`border-${side}-style`),
      colour: style.getPropertyValue(`border-${side}-color`),
    }));
    const seen = sides.map((side) => side.width > 0 && side.line !== 'none' && height > 0);
    const stroke = (side: (typeof sides)[number]): Stroke => ({
      colour: colours.of(side.colour),
      width: side.width,
      dash: side.line === 'dashed' ? 3 * side.width : 0,
    });
    if (seen.every(Boolean)) {
      const half = sides[0].width / 2;
      const inside = {
        left: left + half,
        top: top + half,
        width: width - 2 * half,
        height: height - 2 * half,
      };
      this.#rect(inside, radius - half, { stroke: stroke(sides[0]) });
      return;
    }
    const [right, bottom] = [left + width, top + height];
    const ends = [
      [left, top, right, top],
      [right, top, right, bottom],
      [left, bottom, right, bottom],
      [left, top, left, bottom],
    ] as const;
    sides.forEach((side, i) => {
      if (seen[i]) this.#parts.push({ kind: 'line', ends: ends[i], stroke: stroke(side) });
    });
  }

  /** A shadow that only spreads is a ring around the box, or inside it. */
  #ring(
    { left, top, width, height }: Box,
    style: CSSStyleDeclaration,
    radius: number,
    strength: number,
  ): void {
    const found = /^((?:rgb|color|oklab|oklch)[^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?/u.exec(
      style.boxShadow,
    );
    const spread = found ? parseFloat(found[2]) : 0;
    if (!found || spread === 0) return;
    const out = found[3] ? -spread / 2 : spread / 2;
    const around = {
      left: left - out,
      top: top - out,
      width: width + 2 * out,
      height: height + 2 * out,
    };
    const colour = colours.faded(found[1], strength);
    this.#rect(around, radius + out, { stroke: { colour, width: spread, dash: 0 } });
  }

  /** Boxes that styles add: placed within their element, and possibly smaller. */
  #pseudo(element: Element, which: string): void {
    const style = getComputedStyle(element, which);
    // Placed in the single area of a grid, like the squares of cells, or absolutely.
    const inGrid = style.position === 'static' && style.gridRowStart === '1';
    if (style.content === 'none' || !(inGrid || style.position === 'absolute')) return;
    const scale = style.transform.startsWith('matrix(') ? parseFloat(style.transform.slice(7)) : 1;
    const [full, tall] = [parseFloat(style.width), parseFloat(style.height)];
    const [width, height] = [scale * full, scale * tall];
    if (!(width > 0) || !(height > 0)) return;
    const around = boxOf(element);
    if (inGrid) {
      const padding = parseFloat(getComputedStyle(element).paddingTop);
      const across = (around.width - width) / 2;
      const down = style.alignSelf === 'start' ? padding : (around.height - height) / 2;
      const right = style.justifySelf === 'end' ? 2 * across - padding : across;
      this.#box({ left: around.left + right, top: around.top + down, width, height }, style);
      return;
    }
    const left = parseFloat(style.left) + parseFloat(style.marginLeft) + (full - width) / 2;
    const top = parseFloat(style.top) + parseFloat(style.marginTop) + (tall - height) / 2;
    const box = {
      left: around.left + element.clientLeft + left,
      top: around.top + element.clientTop + top,
      ...{ width, height },
    };
    this.#box(box, style, parseFloat(style.opacity));
  }

  #text(node: Text, style: CSSStyleDeclaration): void {
    if (node.data.trim() === '') return;
    const colour = colours.of(style.color);
    if (colour.alpha === 0) return;
    const font = fontOf(style);
    this.#ink.font = cssOf(font);
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } =
      this.#ink.measureText('x');
    const struck = style.textDecorationLine.includes('line-through');
    for (const { text, box } of linesOf(node)) {
      const { left, top, width, height } = box;
      if (width === 0) continue;
      this.#grow(box);
      const baseline = top + (height * above) / (above + below);
      this.#parts.push({ kind: 'text', text, left, baseline, width, font, colour, struck });
    }
  }

  #drawing(source: SVGSVGElement): void {
    const { left, top, width, height } = boxOf(source);
    const parent = source.parentElement!;
    const clipped = getComputedStyle(parent).overflowX === 'hidden';
    const shown = clipped ? Math.min(width, boxOf(parent).width) : width;
    const box = { left, top, width: shown, height };
    this.#grow(box);
    this.#parts.push(drawingOf(source, box, clipped, colours));
  }

  #image(source: HTMLCanvasElement): void {
    const box = boxOf(source);
    if (box.width === 0 || source.width === 0) return;
    this.#grow(box);
    // A copy of its current state: it may be redrawn before the picture is.
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [source.width, source.height];
    canvas.getContext('2d')!.drawImage(source, 0, 0);
    const sharp = getComputedStyle(source).imageRendering === 'pixelated';
    this.#parts.push({ kind: 'image', ...box, sharp, canvas });
  }
}

/** The lines into which a run of text is broken, with their boxes, without surrounding space. */
function linesOf(node: Text): { text: string; box: Box }[] {
  const range = document.createRange();
  const lines: { text: string; left: number; right: number; top: number; height: number }[] = [];
  for (const { 0: word, index } of node.data.matchAll(/\S+/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const parts = range.getClientRects();
    if (parts.length === 0) continue;
    const box = onPage(parts[parts.length - 1]);
    const right = box.left + box.width;
    const last = lines.at(-1);
    if (last && Math.abs(last.top - box.top) < box.height / 2) {
      last.text += ` ${word}`;
      last.right = right;
    } else {
      const { left, top, height } = box;
      lines.push({ text: word, left, right, top, height });
    }
  }
  return lines.map(({ text, left, right, top, height }) => ({
    text,
    box: { left, top, width: right - left, height },
  }));
}
