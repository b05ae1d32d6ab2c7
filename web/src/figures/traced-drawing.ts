// A drawing of the page as SVG that needs no styles.
import type { Colours } from './colours';
import { round } from './picture-svg';
import { fontOf, type Box, type Drawing, type Font } from './traced';

/** The properties that styles set on drawings; all else is written in the drawing itself. */
const drawingStyles = [
  ...['stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'paint-order'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'text-anchor'],
  ...['opacity', 'display', 'visibility'],
];

function paint(
  element: Element,
  name: 'fill' | 'stroke',
  style: CSSStyleDeclaration,
  colours: Colours,
): void {
  const colour = style.getPropertyValue(name);
  if (/^(none|url)/u.test(colour)) return element.setAttribute(name, colour);
  const { hex, alpha } = colours.of(colour);
  element.setAttribute(name, hex);
  const opacity = alpha * parseFloat(style.getPropertyValue(`${name}-opacity`));
  if (opacity < 1) element.setAttribute(`${name}-opacity`, String(round(opacity)));
}

/** Places a drawing in `box`; content outside of the box is shown as well, or clipped. */
export function drawingOf(
  source: SVGSVGElement,
  box: Box,
  clipped: boolean,
  colours: Colours,
): Drawing {
  const fonts: Font[] = [];
  const copy = source.cloneNode(true) as SVGSVGElement;
  const originals = [source, ...source.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of drawingStyles) element.setAttribute(name, style.getPropertyValue(name));
    if (element.localName === 'text' || element.localName === 'tspan') fonts.push(fontOf(style));
    for (const name of ['fill', 'stroke'] as const) paint(element, name, style, colours);
    element.removeAttribute('class');
    element.removeAttribute('style');
  });
  const { left: x, top: y, width, height } = box;
  for (const [name, value] of Object.entries({ x, y, width, height })) {
    copy.setAttribute(name, String(round(value)));
  }
  copy.setAttribute('overflow', clipped ? 'hidden' : 'visible');
  copy.setAttribute('color', colours.of(getComputedStyle(source).color).hex);
  return { kind: 'drawing', svg: new XMLSerializer().serializeToString(copy), fonts };
}
