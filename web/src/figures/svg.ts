// Matrices as an SVG file that stands by itself: the colours of the theme in force, squares, numbers, labels.
import { at } from '../compute/protocol';
import type { Axis, Drawn } from './matrix';
import { share, written } from './matrix';
import { paint, type Rgb } from './paint';
import { turningPoint, type Palette, type Role } from './palette.svelte';

const cell = 36;
const gap = 40;
const title = 34;
const letter = 7.2;

function hex(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

function escaped(text: string): string {
  return text.replace(/&/gu, '&amp;').replace(/</gu, '&lt;').replace(/>/gu, '&gt;');
}

function longest(axis: Axis): number {
  return Math.max(...axis.short.map((label) => [...label].length)) * letter;
}

interface Ink {
  readonly palette: Palette;
  readonly turning: Readonly<Partial<Record<Role, number>>>;
}

function drawCell(drawn: Drawn, row: number, col: number, ink: Ink): string {
  const { palette } = ink;
  const [x, y] = [col * cell, row * cell];
  const value = at(drawn.matrix, row, col);
  const label = (color: Rgb) =>
    `<text x="${x + cell / 2}" y="${y + cell / 2 + 4}" fill="${hex(color)}">${written(drawn, row, col, cell)}</text>`;
  if (drawn.hidden(row, col)) {
    const frame = `<rect x="${x + 1}" y="${y + 1}" width="${cell - 2}" height="${cell - 2}" rx="5" fill="none" stroke="${hex(palette.hair)}" stroke-dasharray="3"/>`;
    return frame + label(palette.line);
  }
  const ground = `<rect x="${x + 1}" y="${y + 1}" width="${cell - 2}" height="${cell - 2}" rx="5" fill="${hex(palette.paper)}"/>`;
  const role: Role = value < 0 ? 'neg' : drawn.role;
  const { side, strength } = paint(share(drawn, value));
  const size = side * (cell - 3);
  const inset = (cell - size) / 2;
  const square =
    size > 0
      ? `<rect x="${(x + inset).toFixed(1)}" y="${(y + inset).toFixed(1)}" width="${size.toFixed(1)}" height="${size.toFixed(1)}" rx="${(0.16 * size).toFixed(1)}" fill="${hex(palette[role])}" fill-opacity="${strength.toFixed(2)}"/>`
      : '';
  const light = side > 0.7 && strength >= (ink.turning[role] ?? Infinity);
  return (
    ground + square + label(light ? palette.surface : value === 0 ? palette.soft : palette.ink)
  );
}

function drawLabels(drawn: Drawn, palette: Palette): string {
  const soft = hex(palette.soft);
  const down = drawn.rows.short.map(
    (label, row) =>
      `<text x="-8" y="${(row + 0.5) * cell + 4}" text-anchor="end" fill="${soft}">${escaped(label)}</text>`,
  );
  const across = drawn.cols.short.map((label, col) => {
    const place = `translate(${(col + 0.5) * cell} -8)`;
    const turn = drawn.cols.words ? ' rotate(-42)' : '';
    const anchor = drawn.cols.words ? 'start' : 'middle';
    return `<text transform="${place}${turn}" text-anchor="${anchor}" fill="${soft}">${escaped(label)}</text>`;
  });
  return [...down, ...across].join('');
}

/** The matrices side by side. */
export function svgOf(figures: readonly Drawn[], palette: Palette): string {
  const turning = Object.fromEntries(
    [...figures.map(({ role }) => role), 'neg' as const].map((role) => [
      role,
      turningPoint(palette, role),
    ]),
  );
  const head = Math.max(...figures.map(({ cols }) => (cols.words ? 20 + 0.7 * longest(cols) : 24)));
  const parts: string[] = [];
  let left = gap / 2;
  let bottom = 0;
  for (const drawn of figures) {
    const { rows, cols } = drawn.matrix;
    left += longest(drawn.rows) + 12;
    const { base, sub } = drawn.symbol;
    const name = `${base}${sub ? `<tspan dy="4" font-size="14">${sub}</tspan>` : ''}`;
    const cells = Array.from({ length: rows * cols }, (_, i) =>
      drawCell(drawn, Math.floor(i / cols), i % cols, { palette, turning }),
    ).join('');
    parts.push(
      `<g transform="translate(${left} ${title})"><text font-family="STIX Two Text, Georgia, serif" font-style="italic" font-size="20" y="-10" fill="${hex(palette[drawn.role])}">${name}</text><text x="${10 + 11 * base.length}" y="-10" font-size="12" fill="${hex(palette.soft)}">${rows} × ${cols}</text></g>`,
      `<g transform="translate(${left} ${title + head})"><g font-family="Inter, sans-serif" font-size="12.5">${drawLabels(drawn, palette)}</g><g font-family="JetBrains Mono, monospace" font-size="11" text-anchor="middle" data-matrix="${drawn.id}">${cells}</g></g>`,
    );
    left += cols * cell + gap;
    bottom = Math.max(bottom, rows * cell);
  }
  const [width, height] = [Math.ceil(left), Math.ceil(title + head + bottom + gap / 2)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${hex(palette.surface)}"/>${parts.join('')}</svg>\n`;
}
