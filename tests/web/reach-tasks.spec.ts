// Nothing blocks the page. Tasks are measured in processor time, relative to work of known size on the same machine.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

test.use({ trace: 'off' }); // which has tasks of its own

/** Processor time in milliseconds, not elapsed time: on a busy machine any task may have to wait. */
interface Task {
  readonly ms: number;
  /** The last actions before the task, by their marks: a long task may draw the result of an earlier one. */
  readonly after: readonly string[];
}

const markOf = 'done: ';
const lastThings = 3;

/** The page's tasks during `work`, the longest first. */
async function tasksDuring(page: Page, work: () => Promise<void>): Promise<Task[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as never[])));
  const includedCategories = ['toplevel', 'blink.user_timing'];
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: [...includedCategories, 'disabled-by-default-devtools.timeline'],
    },
  });
  await work();
  const complete = new Promise((done) => session.once('Tracing.tracingComplete', done));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const isMain = (event: TraceEvent) =>
    mains.some(({ pid, tid }) => pid === event.pid && tid === event.tid);
  const marks = events
    .filter(({ name }) => name.startsWith(markOf))
    .sort((one, other) => one.ts - other.ts);
  const before = (end: number) => marks.filter(({ ts }) => ts <= end).slice(-lastThings);
  return events
    .filter(
      (event) =>
        event.name === 'ThreadControllerImpl::RunTask' && event.tdur !== undefined && isMain(event),
    )
    .map(({ ts, dur, tdur }) => ({
      ms: tdur! / 1000,
      after: before(ts + dur!).map(({ name }) => name.slice(markOf.length)),
    }))
    .sort((one, other) => other.ms - one.ms);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Milliseconds that drawing this many cells took on the reference machine, idle. */
const known = 100;

/**
 * The time of the same work here and now, relative to the reference machine. Drawing cells uses much memory, which
 * others may be using as well: the least of three.
 */
async function slowness(page: Page): Promise<number> {
  const blank = await page.context().newPage();
  const tasks = await tasksDuring(blank, async () => {
    for (let run = 0; run < 3; ++run) {
      await blank.evaluate((count) => {
        const grid = document.createElement('div');
        grid.style.cssText = 'display: grid; grid-template-columns: repeat(24, 40px)';
        for (let i = 0; i < count; ++i) {
          const cell = document.createElement('span');
          cell.textContent = (i / 7).toFixed(2);
          grid.append(cell);
        }
        document.body.replaceChildren(grid);
        return grid.getBoundingClientRect().height;
      }, 12_000);
    }
  });
  await blank.close();
  return Math.max(1, tasks[2].ms / known);
}

/** Uses every control of the chapter, one after another. */
async function useEverything(page: Page): Promise<void> {
  await page.evaluate((mark) => {
    const note = ({ target, key }: KeyboardEvent) => {
      const { id, ariaLabel } = target as HTMLElement;
      const figure = (target as HTMLElement).closest('section[id]')?.id;
      performance.mark(mark + [figure, ariaLabel ?? id, key].join());
    };
    addEventListener('keydown', note, true);
  }, markOf);
  for (const grid of await page.locator('main [role="grid"]:visible').all()) {
    await grid.focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'End', ' ', 'Escape']) {
      await page.keyboard.press(key);
    }
  }
  for (const slider of await page.locator('main input[type="range"]:visible').all()) {
    await slider.focus();
    for (const key of ['ArrowRight', 'End', 'Home', 'PageUp']) await page.keyboard.press(key);
  }
  for (const text of await page.locator('main textarea:visible').all()) {
    await text.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' and more words');
  }
  await still(page);
  await press(page, 'others');
}

/** Presses each button once, in the state that it has then: a button may change the others. Waits for each picture. */
async function press(page: Page, which: 'pictures' | 'others'): Promise<void> {
  await page.evaluate(
    async ({ ofPictures, mark }) => {
      if (ofPictures) {
        const menus = document.querySelectorAll<HTMLDetailsElement>('details[data-more]');
        for (const menu of menus) menu.open = true;
      }
      const done = new Set<string>();
      const next = () =>
        [...document.querySelectorAll<HTMLButtonElement>('main button:enabled, main summary')].find(
          (button) =>
            /^(PNG|SVG)$/.test(button.textContent!.trim()) === ofPictures &&
            !done.has(nameOf(button)) &&
            button.checkVisibility(),
        );
      const nameOf = (button: Element) =>
        [button.closest('section[id]')?.id, button.ariaLabel ?? button.textContent!.trim()].join();
      let files = 0;
      const toAddress = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (file) => {
        ++files;
        return toAddress(file);
      };
      for (let button = next(); button && done.size < 150; button = next()) {
        done.add(nameOf(button));
        // Starts a new task, since looking for visible elements lays out the page.
        await new Promise((later) => setTimeout(later));
        performance.mark(mark + nameOf(button).replace(/·.*/u, '')); // without the measured numbers
        const before = files;
        button.click();
        for (let patience = 500; ; --patience) {
          await new Promise((later) => setTimeout(later, 30));
          if (!ofPictures || files > before) break;
          if (patience === 0) throw new Error(`no picture: ${nameOf(button)}`);
        }
      }
      if (done.size === 0) throw new Error('no buttons');
    },
    { ofPictures: which === 'pictures', mark: markOf },
  );
  await still(page);
}

/** The limit of a task in milliseconds on the reference machine; on one that is four times slower, 80 ms. */
const limits: Partial<Record<string, number>> = { attend: 20, heads: 20, block: 20, longer: 20 };
const usual = 40;

/**
 * The tasks over the limit while the chapter is used, and while its pictures are made, and a text with the longest of
 * each.
 */
async function longTasks(page: Page, chapter: string): Promise<[Task[], ...string[]]> {
  await open(page, chapter);
  const before = await slowness(page);
  const using = await tasksDuring(page, () => useEverything(page));
  const between = await slowness(page);
  const picturing = await tasksDuring(page, () => press(page, 'pictures'));
  const after = await slowness(page);
  expect(using.length).toBeGreaterThan(100);
  const long: Task[] = [];
  const weigh = (what: string, all: readonly Task[], slower: number) => {
    // Before the first action the test itself looks for visible elements, and lays out what no visitor has reached.
    const tasks = all.filter(({ after }) => after.length > 0);
    long.push(...tasks.filter(({ ms }) => ms > slower * (limits[chapter] ?? usual)));
    const longest = tasks.slice(0, 5).map(({ ms, after }) => `${ms.toFixed(1)} (${after.at(-1)})`);
    return `${what}: ${longest.join(', ')} ms, ${slower.toFixed(2)} times as slow`;
  };
  const notes = [
    weigh('of use', using, Math.max(before, between)),
    weigh('of pictures', picturing, Math.max(between, after)),
  ];
  return [long, ...notes];
}

for (const { id } of chapters) {
  test(`${id}: no task holds the page up`, weekly(id, ['average']), async ({ page, guard }) => {
    guard.expect(/File chooser dialog/); // a script's click opens none
    test.setTimeout(360_000);
    // Other work of the machine makes a task longer, never shorter: only a task that is too long every time counts.
    let slow: string[] | undefined;
    for (let visit = 0; visit < 6 && slow?.length !== 0; ++visit) {
      const [long, ...notes] = await longTasks(page, id);
      for (const description of notes) {
        test.info().annotations.push({ type: 'longest tasks', description });
      }
      const things = new Set(long.flatMap(({ after }) => after));
      slow = [...things].filter((thing) => slow?.includes(thing) ?? true);
    }
    const notes = test.info().annotations.map(({ description }) => description);
    expect(slow, notes.join('\n')).toEqual([]);
  });
}
