// The colours of the current theme, read from CSS, for canvases and for the choice of legible text.
import { browser } from '$app/environment';
import { contrast, mix, type Rgb } from './paint';
import tokens from './tokens.css?raw';

export type Role = 'x' | 'q' | 'k' | 'v' | 'score' | 'weight' | 'neg';
type Name =
  | Role
  | 'ink'
  | 'soft'
  | 'hair'
  | 'line'
  | 'paper'
  | 'surface'
  | 'pin'
  | 'wrong'
  | 'number'
  | 'number-on';
const names: readonly Name[] = [
  ...(['x', 'q', 'k', 'v', 'score', 'weight', 'neg'] as const),
  ...(['ink', 'soft', 'hair', 'line', 'paper', 'surface', 'pin', 'wrong'] as const),
  ...(['number', 'number-on'] as const),
];

export type Palette = Readonly<Record<Name, Rgb>>;

/** A custom property is not resolved by itself; a colour that uses it is. */
function readPalette(): Palette {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.style.setProperty('forced-color-adjust', 'none');
  const entries = names.map((name) => {
    probe.style.color = `var(--${name})`;
    const [r, g, b] = (getComputedStyle(probe).color.match(/[\d.]+/gu) ?? [0, 0, 0]).map(Number);
    return [name, [r, g, b] as Rgb];
  });
  probe.remove();
  return Object.fromEntries(entries) as Palette;
}

/** The palette of a theme, for prerendered pages. */
function paletteOf(theme: 'light' | 'dark'): Palette {
  const [byTheme, channels] = [/light-dark\(#(\w+), #(\w+)\)/u, /../gu];
  const entries = names.map((name) => {
    const [, light, dark] = byTheme.exec(tokens.slice(tokens.indexOf(`--${name}:`)))!;
    const hex = theme === 'light' ? light : dark;
    return [name, hex.match(channels)!.map((channel) => parseInt(channel, 16)) as unknown as Rgb];
  });
  return Object.fromEntries(entries) as Palette;
}

export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** The strength of a role's ground from which `number-on` is more legible than `number`. */
function turningPoint(palette: Palette, role: Role): number {
  for (let strength = 0.3; strength <= 1; strength += 0.005) {
    const ground = mix(palette[role], palette.paper, strength);
    if (contrast(palette['number-on'], ground) > contrast(palette.number, ground)) return strength;
  }
  return Infinity;
}

const roles: readonly Role[] = ['x', 'q', 'k', 'v', 'score', 'weight', 'neg'];

function turningPoints(palette: Palette): Readonly<Record<Role, number>> {
  const entries = roles.map((role) => [role, turningPoint(palette, role)]);
  return Object.fromEntries(entries) as Record<Role, number>;
}

/** Both themes, while the current one is unknown. */
export const turningBoth = browser
  ? null
  : { light: turningPoints(paletteOf('light')), dark: turningPoints(paletteOf('dark')) };

class Theme {
  palette = $state.raw<Palette>(browser ? readPalette() : paletteOf('light'));
  readonly turning = $derived(turningPoints(this.palette));

  constructor() {
    if (!browser) return;
    const again = () => (this.palette = readPalette());
    for (const query of ['(prefers-color-scheme: dark)', 'print']) {
      matchMedia(query).addEventListener('change', again);
    }
    new MutationObserver(again).observe(document.documentElement, {
      attributeFilter: ['data-theme'],
    });
  }
}

export const theme = new Theme();
