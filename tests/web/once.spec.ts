// A question that a chapter's figures and their prompts share is computed once. Timings are new each time.
import { expect, test } from './fixtures.ts';
import { asSeen, chapters, open, unfold } from './reach.ts';
import { settled } from './settled.ts';
import { usual, weekly } from './weekly.ts';
import { holdWorkers, inPage } from './workers.ts';

/** Prompts ask for their own answers, as they do for visitors. */
test.use({ veils: true });

const always = [...usual, 'towers', 'multiply'];

for (const { id } of chapters) {
  test(`nothing is asked twice: ${id}`, weekly(id, always), async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await holdWorkers(page);
    await open(page, id);
    await unfold(page);
    await asSeen(page);
    for (const section of await page.locator('main section[id]').all()) {
      await section.scrollIntoViewIfNeeded();
      await settled(page);
    }
    const asked = await inPage(page, ({ posted }) =>
      posted.filter(
        ({ what, kind }) => what === 'begin' && !/^time$|(?:Times?|race)$/u.test(kind ?? ''),
      ),
    );
    const said = asked.map(({ kind, says }) => `${kind} ${says}`);
    const twice = said.filter((one, i) => said.indexOf(one) < i);
    expect(twice.map((one) => one.slice(0, 200))).toEqual([]);
    if (id === 'towers') expect(asked.filter(({ kind }) => kind === 'towers')).toHaveLength(1);
  });
}
