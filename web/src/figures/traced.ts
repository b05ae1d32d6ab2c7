// The parts of a picture of a figure, as found on the page, in the order in which they are drawn. They are written as
// SVG (picture-svg.ts) or painted on a canvas (picture-canvas.ts).

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Colour {
  /** #rrggbb, which every program that reads SVG understands. */
  readonly hex: string;
  readonly alpha: number;
}

/** A gradient from left to right. */
export interface Gradient {
  readonly stops: readonly { readonly place: number; readonly colour: Colour }[];
}

export interface Stroke {
  readonly colour: Colour;
  readonly width: number;
  /** Length of the dashes and of the gaps between them; 0 is a solid line. */
  readonly dash: number;
}

/** A linear transform about a point, by the matrix [a c; b d]. */
export interface Turn {
  readonly x: number;
  readonly y: number;
  readonly matrix: readonly [a: number, b: number, c: number, d: number];
}

export interface Font {
  readonly family: string;
  /** Font size in pixels. */
  readonly size: number;
  readonly style: string;
  readonly weight: string;
}

export const fontOf = ({
  fontFamily,
  fontSize,
  fontStyle,
  fontWeight,
}: CSSStyleDeclaration): Font => ({
  family: fontFamily,
  size: parseFloat(fontSize),
  style: fontStyle,
  weight: fontWeight,
});
export const cssOf = ({ style, weight, size, family }: Font) =>
  `${style} ${weight} ${size}px ${family}`;

export interface Rect extends Box {
  readonly kind: 'rect';
  readonly radius: number;
  readonly fill?: Colour | Gradient;
  readonly stroke?: Stroke;
}

export interface Line {
  readonly kind: 'line';
  readonly ends: readonly [x1: number, y1: number, x2: number, y2: number];
  readonly stroke: Stroke;
}

/** One line of text, as wide as the browser set it. */
export interface TextLine {
  readonly kind: 'text';
  readonly text: string;
  readonly left: number;
  readonly baseline: number;
  readonly width: number;
  readonly font: Font;
  readonly colour: Colour;
  readonly struck: boolean;
}

export interface Image extends Box {
  readonly kind: 'image';
  readonly sharp: boolean;
  readonly canvas: HTMLCanvasElement;
}

/** A drawing of the page, which is SVG already. */
export interface Drawing {
  readonly kind: 'drawing';
  readonly svg: string;
  /** The fonts of its texts. */
  readonly fonts: readonly Font[];
}

/** The parts that follow, up to the group's end, belong to a named element, or are rotated. */
export interface Group {
  readonly kind: 'group';
  readonly names: Readonly<Record<string, string>>;
  readonly turn?: Turn;
}
export interface GroupEnd {
  readonly kind: 'end';
}

export type Part = Rect | Line | TextLine | Image | Drawing | Group | GroupEnd;

export interface Traced {
  /** The bounds of everything drawn, with a margin. */
  readonly frame: Box;
  readonly parts: readonly Part[];
}

export const isGradient = (fill: Colour | Gradient): fill is Gradient => 'stops' in fill;
