// A group of buttons with one stop of the Tab key: arrows, Home and End move along them, and choose in a radio group.
import type { Attachment } from 'svelte/attachments';

/**
 * The index to which a key leads. A line wraps around; a grid with `columns` columns ends at its edges. Null for other
 * keys.
 */
function along(key: string, from: number, count: number, columns: number, across: 1 | -1) {
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const down = columns < count ? columns : across;
  const by = { ArrowRight: across, ArrowLeft: -across, ArrowDown: down, ArrowUp: -down }[key];
  if (by === undefined) return null;
  const to = from + by;
  if (columns >= count) return (to + count) % count;
  const sameRow = Math.floor(to / columns) === Math.floor(from / columns);
  return to < 0 || to >= count || (Math.abs(by) === 1 && !sameRow) ? from : to;
}

/** Attached to the group, whose role decides whether its buttons are radio buttons. */
export const roving =
  (columns = Infinity): Attachment<HTMLElement> =>
  (group) => {
    const radios = group.getAttribute('role') === 'radiogroup';
    const which = radios ? '[role=radio]' : 'button:not(:disabled)';
    const buttons = () => [...group.querySelectorAll<HTMLElement>(which)];
    function stopAt(stop: HTMLElement | undefined): void {
      for (const button of buttons()) button.tabIndex = button === stop ? 0 : -1;
    }
    function refresh(): void {
      const all = buttons();
      const find = (selector: string) => all.find((button) => button.matches(selector));
      stopAt(
        find(radios ? '[aria-checked=true]' : ':focus') ?? find('[aria-pressed=true]') ?? all[0],
      );
    }
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const all = buttons();
      const from = all.indexOf(event.target as HTMLElement);
      const across = getComputedStyle(group).direction === 'rtl' ? -1 : 1;
      const to = from < 0 ? null : along(event.key, from, all.length, columns, across);
      if (to === null) return;
      event.preventDefault();
      event.stopPropagation();
      stopAt(all[to]);
      all[to].focus();
      if (radios && to !== from) all[to].click();
    }
    refresh();
    const watch = new MutationObserver(refresh);
    const attributeFilter = ['aria-checked', 'aria-pressed', 'disabled'];
    watch.observe(group, { subtree: true, childList: true, attributeFilter });
    group.addEventListener('keydown', press);
    group.addEventListener('focusin', ({ target }) => {
      if (buttons().includes(target as HTMLElement)) stopAt(target as HTMLElement);
    });
    return () => watch.disconnect();
  };
