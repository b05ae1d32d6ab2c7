// Hints from `title` attributes, which only a mouse would find, for keys and fingers: one Tab stop for each group,
// arrows within it, and taps. A hint stands below its element. Loaded with the first such key.

const own = 'a, button, input, select, textarea, summary, [role]';
/** Elements that have nothing to press, and are not hidden from screen readers. */
const quiet = (element: Element) => !element.matches(own) && !element.closest('[aria-hidden=true]');
function groupOf(element: Element): Element {
  const around = element.parentElement!;
  return around.closest('table, ol, ul, dl, p, [role=group]') ?? around;
}
const among = (group: Element) => [...group.querySelectorAll<HTMLElement>('[title]')].filter(quiet);

const look = `position: fixed; inset: 0 auto auto 0; z-index: 9; max-width: min(340px, calc(100vw - 16px));
  padding: 5px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface);
  color: var(--ink); font: 13px/1.4 var(--sans); box-shadow: 0 4px 18px rgb(0 0 0 / 14%); pointer-events: none;`;
let shown: { readonly box: HTMLElement; readonly element: HTMLElement } | undefined;

function hide(): void {
  shown?.box.remove();
  shown = undefined;
}

/** Places the hint below its element, or above if there is no room. */
function place(): void {
  if (!shown) return;
  const [at, box] = [shown.element, shown.box].map((one) => one.getBoundingClientRect());
  const left = Math.max(8, Math.min(at.left, innerWidth - box.width - 8));
  const below = at.bottom + 8;
  const top = below + box.height > innerHeight ? at.top - box.height - 8 : below;
  shown.box.style.translate = `${left}px ${top}px`;
}

function show(element: HTMLElement): void {
  hide();
  const box = document.createElement('div');
  box.className = 'no-print';
  box.dataset.hint = '';
  box.ariaHidden = 'true'; // a title is already announced with the focused element
  box.dir = 'auto';
  box.style.cssText = look;
  box.textContent = element.title;
  document.body.append(box);
  shown = { box, element };
  place();
}

/** Sets the Tab stops, before the Tab key moves the focus. */
function stops(): void {
  const groups = new Set([...document.querySelectorAll('main [title]')].filter(quiet).map(groupOf));
  for (const group of groups) {
    const all = among(group);
    const stop = all.find((one) => one.tabIndex === 0) ?? all[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
  }
}

const steps: Readonly<Record<string, number>> = {
  ...{ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 },
  ...{ Home: -Infinity, End: Infinity },
};

function press(event: KeyboardEvent): void {
  const { key, target } = event;
  if (key === 'Tab') return stops();
  if (key === 'Escape') return hide();
  if (!(target instanceof HTMLElement) || !target.title || !quiet(target) || !(key in steps))
    return;
  const all = among(groupOf(target));
  const across = key.endsWith('t') && getComputedStyle(target).direction === 'rtl' ? -1 : 1;
  const to = Math.max(0, Math.min(all.length - 1, all.indexOf(target) + across * steps[key]));
  event.preventDefault();
  for (const [i, one] of all.entries()) one.tabIndex = i === to ? 0 : -1;
  all[to].focus();
}

function reach({ target }: FocusEvent): void {
  if (target instanceof HTMLElement && target.title && target.matches(':focus-visible'))
    show(target);
  else hide();
}

function tap({ target }: Event): void {
  const found = target instanceof Element ? target.closest<HTMLElement>('[title]') : null;
  if (found && !found.matches('a, iframe')) show(found);
  else hide();
}

/** Begins with the event that made the page load this file. */
export function begin(first: Event): void {
  addEventListener('keydown', press);
  addEventListener('focusin', reach);
  addEventListener('touchend', tap);
  addEventListener('scroll', place, { capture: true, passive: true });
  if (first.type === 'touchstart') tap(first);
  else stops();
}
