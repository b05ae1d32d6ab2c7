// The colours of the theme in force, read from CSS, for canvases and for choosing legible text.
import { contrast, mix, type Rgb } from './paint';

export type Role = 'x' | 'q' | 'k' | 'v' | 'score' | 'weight' | 'neg';
type Name =
  Role | 'ink' | 'soft' | 'hair' | 'line' | 'paper' | 'surface' | 'pin' | 'number' | 'number-on';
const names: readonly Name[] = [
  ...(['x', 'q', 'k', 'v', 'score', 'weight', 'neg'] as const),
  ...(['ink', 'soft', 'hair', 'line', 'paper', 'surface', 'pin', 'number', 'number-on'] as const),
];

export type Palette = Readonly<Record<Name, Rgb>>;

/** Custom properties are not resolved by themselves; a colour that uses one is. */
export function readPalette(): Palette {
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

export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** The strength from which a number in the colour of the paper's side reads better on a role than the other. */
export function turningPoint(palette: Palette, role: Role): number {
  for (let strength = 0.3; strength <= 1; strength += 0.005) {
    const ground = mix(palette[role], palette.paper, strength);
    if (contrast(palette['number-on'], ground) > contrast(palette.number, ground)) return strength;
  }
  return Infinity;
}

class Theme {
  palette = $state.raw<Palette>(readPalette());
  readonly turning = $derived(
    Object.fromEntries(
      (['x', 'q', 'k', 'v', 'score', 'weight', 'neg'] as const).map((role) => [
        role,
        turningPoint(this.palette, role),
      ]),
    ) as Record<Role, number>,
  );

  constructor() {
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
