// What the browser has laid out, as SVG: boxes as rectangles, text line by line, drawings as they are, canvases as
// images. Controls are left out. Nothing refers to the page any more. A large figure is traced in pieces, so that the
// page does not stand still meanwhile.

const namespace = 'http://www.w3.org/2000/svg';
/** Controls, but for those that are a figure's own words, and what is not to be seen. */
const leftOut =
  'button:not([data-drawn]), input, select, textarea, label:has(input), details, .why:not([data-why]), .no-print, .visually-hidden, .katex-mathml';
/** What styles give to drawings; all else is written in the drawing itself. */
const drawingStyles = [
  ...['stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'paint-order'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'text-anchor'],
  ...['opacity', 'display', 'visibility'],
];

const round = (value: number) => Math.round(100 * value) / 100;
const escaped = (text: string) =>
  text
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/>/gu, '&gt;')
    .replace(/"/gu, '&quot;');

/** What no XML may hold, such as the control characters that a model which knows nothing yet writes. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Any CSS colour as #rrggbb and an opacity, which every program that reads SVG understands. */
class Colours {
  readonly #ink: CanvasRenderingContext2D;
  readonly #known = new Map<string, { readonly hex: string; readonly alpha: number }>();

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    this.#ink = canvas.getContext('2d', { willReadFrequently: true })!;
  }

  of(css: string): { readonly hex: string; readonly alpha: number } {
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

  attribute(name: 'fill' | 'stroke', css: string, strength = 1): string {
    const { hex, alpha } = this.of(css);
    const opacity = round(alpha * strength);
    return opacity < 1 ? `${name}="${hex}" ${name}-opacity="${opacity}"` : `${name}="${hex}"`;
  }

  /** As one value, for styles of drawings. */
  plain(css: string): string {
    return /^(none|url)/u.test(css) ? css : this.of(css).hex;
  }
}

/** Milliseconds after which the page gets its turn. */
const piece = 8;

/** Where something is on the page, wherever that has been scrolled to. */
function onPage({ left, top, width, height }: Box): Box {
  return { left: left + scrollX, top: top + scrollY, width, height };
}
const boxOf = (element: Element) => onPage(element.getBoundingClientRect());

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export class Tracing {
  readonly parts: string[] = [];
  readonly #colours = new Colours();
  readonly #ink = document.createElement('canvas').getContext('2d')!;
  #right = 0;
  #bottom = 0;
  #least = { left: Infinity, top: Infinity };
  #begin = performance.now();

  /** What is turned stands upright while it is traced: nobody is to see that. */
  async walk(element: Element, turning = false): Promise<void> {
    if (!turning && performance.now() - this.#begin > piece) {
      await new Promise((later) => setTimeout(later));
      this.#begin = performance.now();
    }
    if (element.matches(leftOut)) return;
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.visibility === 'hidden') return;
    if (element instanceof SVGSVGElement) return this.#drawing(element);
    if (element instanceof HTMLCanvasElement) return this.#image(element);
    const { dataset } = element as HTMLElement;
    const named = dataset.matrix ? ` data-matrix="${escaped(dataset.matrix)}"` : '';
    const { row, col } = dataset;
    const isCell = element.role === 'gridcell' && row !== undefined && col !== undefined;
    const cell = isCell ? ` data-cell="${row}.${col}"` : '';
    const turned = this.#turn(element as HTMLElement, style);
    const grouped = named + cell + turned;
    if (grouped) this.parts.push(`<g${grouped}>`);
    this.#box(boxOf(element), style);
    for (const pseudo of ['::before', '::after']) this.#pseudo(element, pseudo);
    for (const child of element.childNodes) {
      if (child instanceof Text) this.#text(child, style);
      else if (child instanceof Element) {
        const walked = this.walk(child, turning || turned !== '');
        if (!turning && !turned) await walked;
      }
    }
    if (grouped) this.parts.push('</g>');
    if (turned) (element as HTMLElement).style.transform = '';
  }

  /** `scale` times as large as on the page. */
  finish(ground: string, about: string, { fonts = '', scale = 1 } = {}): string {
    const margin = 16;
    const { left, top } = this.#least;
    const [x, y] = [Math.floor(left - margin), Math.floor(top - margin)];
    const width = Math.ceil(this.#right + margin) - x;
    const height = Math.ceil(this.#bottom + margin) - y;
    const paper = `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${this.#colours.attribute('fill', ground)}/>`;
    const svg = `<svg xmlns="${namespace}" viewBox="${x} ${y} ${width} ${height}" width="${scale * width}" height="${scale * height}"><desc>${escaped(about)}</desc>${fonts}${paper}${this.parts.join('')}</svg>\n`;
    return svg.replace(forbidden, '\uFFFD');
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

  /** A rotation is taken off while what is inside is measured, and put on as a transform of its own. */
  #turn(element: HTMLElement, { transform, transformOrigin }: CSSStyleDeclaration): string {
    if (!transform.startsWith('matrix(')) return '';
    const [a, b, c, d] = transform.slice(7).split(',').map(parseFloat);
    if (b === 0 && c === 0) return '';
    const before = boxOf(element);
    this.#grow(before);
    const [originX, originY] = transformOrigin.split(' ').map(parseFloat);
    element.style.transform = 'none';
    const { left, top } = boxOf(element);
    const [x, y] = [round(left + originX), round(top + originY)];
    const turn = [a, b, c, d].map((value) => value.toFixed(4)).join(' ');
    return ` transform="translate(${x} ${y}) matrix(${turn} 0 0) translate(${-x} ${-y})"`;
  }

  #box(box: Box, style: CSSStyleDeclaration, strength = 1): void {
    const { left, top, width, height } = box;
    const padded = style.backgroundClip === 'content-box';
    const inset = (side: string) =>
      padded ? parseFloat(style.getPropertyValue(`padding-${side}`)) : 0;
    const x = left + inset('left');
    const y = top + inset('top');
    const size: Box = {
      left: x,
      top: y,
      width: width - inset('left') - inset('right'),
      height: height - inset('top') - inset('bottom'),
    };
    const given = style.borderTopLeftRadius;
    const radius = given.endsWith('%') ? (parseFloat(given) / 100) * width : parseFloat(given);
    if (this.#colours.of(style.backgroundColor).alpha > 0) {
      this.#rect(size, radius, this.#colours.attribute('fill', style.backgroundColor, strength));
    }
    this.#gradient(size, radius, style.backgroundImage);
    this.#borders(box, style, radius);
    this.#ring(box, style, radius, strength);
  }

  /** From left to right, or back: what legends are filled with. */
  #gradient(box: Box, radius: number, image: string): void {
    const found = /^linear-gradient\((90|270)deg, (.*)\)$/u.exec(image);
    if (!found) return;
    const colours = found[2].split(/, (?=[a-z]+\()/u);
    const stops = colours.map((colour, i) => {
      const place = /\) ([\d.]+)%$/u.exec(colour)?.[1] ?? (100 * i) / (colours.length - 1);
      const { hex, alpha } = this.#colours.of(colour.replace(/\) [\d.]+%$/u, ')'));
      return `<stop offset="${place}%" stop-color="${hex}" stop-opacity="${round(alpha)}"/>`;
    });
    const id = `gradient-${this.parts.length}`;
    const ends = found[1] === '90' ? 'x1="0" x2="1"' : 'x1="1" x2="0"';
    this.parts.push(`<linearGradient id="${id}" ${ends}>${stops.join('')}</linearGradient>`);
    this.#rect(box, radius, `fill="url(#${id})"`);
  }

  #rect({ left, top, width, height }: Box, radius: number, paint: string): void {
    if (width <= 0 || height <= 0) return;
    this.#grow({ left, top, width, height });
    const corner = radius > 0 ? ` rx="${round(Math.min(radius, width / 2, height / 2))}"` : '';
    this.parts.push(
      `<rect x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}"${corner} ${paint}/>`,
    );
  }

  #borders({ left, top, width, height }: Box, style: CSSStyleDeclaration, radius: number): void {
    const sides = ['top', 'right', 'bottom', 'left'].map((side) => ({
      width: parseFloat(style.getPropertyValue(`border-${side}-width`)),
      line: style.getPropertyValue(`border-${side}-style`),
      colour: style.getPropertyValue(`border-${side}-color`),
    }));
    const seen = sides.map((side) => side.width > 0 && side.line !== 'none' && height > 0);
    const stroke = (side: (typeof sides)[number]) => {
      const dashes = side.line === 'dashed' ? ` stroke-dasharray="${round(3 * side.width)}"` : '';
      const paint = this.#colours.attribute('stroke', side.colour);
      return `fill="none" ${paint} stroke-width="${round(side.width)}"${dashes}`;
    };
    if (seen.every(Boolean)) {
      const half = sides[0].width / 2;
      const inside = {
        left: left + half,
        top: top + half,
        width: width - 2 * half,
        height: height - 2 * half,
      };
      this.#rect(inside, radius - half, stroke(sides[0]));
      return;
    }
    const [right, bottom] = [left + width, top + height];
    const ends = [
      [left, top, right, top],
      [right, top, right, bottom],
      [left, bottom, right, bottom],
      [left, top, left, bottom],
    ];
    sides.forEach((side, i) => {
      if (!seen[i]) return;
      const [x1, y1, x2, y2] = ends[i].map(round);
      this.parts.push(`<path d="M${x1} ${y1}L${x2} ${y2}" ${stroke(side)}/>`);
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
    const paint = this.#colours.attribute('stroke', found[1], strength);
    this.#rect(around, radius + out, `fill="none" ${paint} stroke-width="${round(spread)}"`);
  }

  /** Boxes that styles add: placed within their element, and possibly smaller than that. */
  #pseudo(element: Element, which: string): void {
    const style = getComputedStyle(element, which);
    // In the one area of a grid, as the squares of cells, or anywhere.
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
    const { color, fontFamily, fontSize, fontStyle, fontWeight } = style;
    if (this.#colours.of(color).alpha === 0) return;
    this.#ink.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } =
      this.#ink.measureText('x');
    const struck = style.textDecorationLine.includes('line-through')
      ? ' text-decoration="line-through"'
      : '';
    const font = `font-family="${escaped(fontFamily)}" font-size="${round(parseFloat(fontSize))}"${fontStyle === 'normal' ? '' : ` font-style="${fontStyle}"`}${fontWeight === '400' ? '' : ` font-weight="${fontWeight}"`}${struck}`;
    for (const { text, box } of linesOf(node)) {
      if (box.width === 0) continue;
      this.#grow(box);
      const baseline = box.top + (box.height * above) / (above + below);
      this.parts.push(
        `<text x="${round(box.left)}" y="${round(baseline)}" textLength="${round(box.width)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${font} ${this.#colours.attribute('fill', color)}>${escaped(text)}</text>`,
      );
    }
  }

  #drawing(source: SVGSVGElement): void {
    const box = boxOf(source);
    const around = boxOf(source.parentElement!);
    const clipped = getComputedStyle(source.parentElement!).overflowX === 'hidden';
    const copy = source.cloneNode(true) as SVGSVGElement;
    const originals = [source, ...source.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
      const style = getComputedStyle(originals[i]);
      for (const name of drawingStyles) element.setAttribute(name, style.getPropertyValue(name));
      for (const name of ['fill', 'stroke'] as const) this.#paintDrawing(element, name, style);
      element.removeAttribute('class');
      element.removeAttribute('style');
    });
    const width = clipped ? Math.min(box.width, around.width) : box.width;
    for (const [name, value] of Object.entries({
      x: box.left,
      y: box.top,
      width,
      height: box.height,
    })) {
      copy.setAttribute(name, String(round(value)));
    }
    copy.setAttribute('overflow', clipped ? 'hidden' : 'visible');
    copy.setAttribute('color', this.#colours.of(getComputedStyle(source).color).hex);
    this.#grow({ left: box.left, top: box.top, width, height: box.height });
    this.parts.push(new XMLSerializer().serializeToString(copy));
  }

  #paintDrawing(element: Element, name: 'fill' | 'stroke', style: CSSStyleDeclaration): void {
    const colour = style.getPropertyValue(name);
    element.setAttribute(name, this.#colours.plain(colour));
    if (colour === 'none') return;
    const opacity =
      this.#colours.of(colour).alpha * parseFloat(style.getPropertyValue(`${name}-opacity`));
    if (opacity < 1) element.setAttribute(`${name}-opacity`, String(round(opacity)));
  }

  #image(canvas: HTMLCanvasElement): void {
    const box = boxOf(canvas);
    if (box.width === 0 || canvas.width === 0) return;
    this.#grow(box);
    const sharp =
      getComputedStyle(canvas).imageRendering === 'pixelated' ? ' image-rendering="pixelated"' : '';
    this.parts.push(
      `<image x="${round(box.left)}" y="${round(box.top)}" width="${round(box.width)}" height="${round(box.height)}" preserveAspectRatio="none"${sharp} href="${canvas.toDataURL()}"/>`,
    );
  }
}

/** The lines that a run of text is broken into, with their boxes, without the space around them. */
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
