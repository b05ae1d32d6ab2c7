// Duration of the last token of a text, with its cache and without, timed here at several lengths.
import { median, steadyUpTo, unrest } from '../../shared/steady';
import type { AwayRequests, CacheTime, Spread } from '../../shared/opened/away-protocol';
import { lengthsOf } from '../../shared/opened/cache-lengths';
import { tokensOf } from './reading';
import type { Opened, Work } from './work';

/** Number of consecutive tokens in a batch, of batches, and maximum number of repetitions. */
const [run, batches, rounds] = [8, 5, 2];
/**
 * Milliseconds: minimum of a batch, limit above which one round suffices, and limit above which no longer texts are
 * timed.
 */
const [batchMilliseconds, long, longest] = [12, 150, 1500];

/** The mean over the tokens after the prompt, each computed with the cache of those before it. */
async function withCache({ model }: Opened, ids: readonly number[]): Promise<number | null> {
  const [prompt, count] = [ids.slice(0, ids.length - run), run];
  let [sum, taken] = [0, -1]; // the first belongs to the prompt
  const options = { maxTokens: count + 1, temperature: 0 };
  for await (const { token, milliseconds } of model.generate(prompt, options)) {
    if (token !== undefined && ++taken > 0) sum += milliseconds;
  }
  return taken > 0 ? sum / taken : null;
}

/** All tokens at once, for the one that follows the last. */
async function withoutCache({ model }: Opened, ids: readonly number[]): Promise<number> {
  let [sum, taken] = [0, 0];
  do {
    const text = model.generate(ids, { maxTokens: 1, temperature: 0 });
    const { value } = await text.next();
    await text.return();
    sum += value ? value.milliseconds : 0;
    taken += 1;
  } while (sum < batchMilliseconds && taken < 100);
  return sum / taken;
}

function spreadOf(times: readonly number[]): Spread {
  const usual = median(times) || times.reduce((sum, time) => sum + time, 0) / times.length;
  return { median: usual, least: Math.min(...times), most: Math.max(...times) };
}

async function timed(
  opened: Opened,
  ids: readonly number[],
  turn: () => Promise<void>,
): Promise<CacheTime | null> {
  for (let left = rounds; ; --left) {
    const [alone, all]: [number[], number[]] = [[], []];
    await withoutCache(opened, ids); // the warm-up
    while (alone.length < batches) {
      await turn();
      const time = await withCache(opened, ids);
      if (time === null) return null; // the model ends every such text at once
      alone.push(time);
      await turn();
      all.push(await withoutCache(opened, ids));
    }
    const steady = unrest(alone) <= steadyUpTo && unrest(all) <= steadyUpTo;
    const found = { with: spreadOf(alone), without: spreadOf(all) };
    if (!steady && left > 1 && found.without.median < long) continue;
    const times = opened.tril.cost.ratio(found.without.median, found.with.median);
    return { tokens: ids.length, ...found, steady, times };
  }
}

export async function cacheTimes(
  opened: Opened,
  text: AwayRequests['cacheTimes']['ask'],
  work: Work<CacheTime>,
): Promise<AwayRequests['cacheTimes']['answer']> {
  const { tril, shape } = opened;
  // The choice of tokens makes no difference to the time.
  const tokens = tokensOf(opened, text);
  const all: CacheTime[] = [];
  for (const length of lengthsOf(shape.context)) {
    const ids = Array.from({ length }, (_, at) => tokens[at % tokens.length]);
    const found = await timed(opened, ids, () => work.turn());
    if (!found) continue;
    all.push(found);
    work.say(found);
    if (found.without.median > longest) break;
  }
  if (all.length < 2) return null;
  const power = (of: (time: CacheTime) => number) =>
    tril.scope(() =>
      tril.growth(tril.tensor(all.map(({ tokens }) => tokens)), tril.tensor(all.map(of))),
    );
  return { with: power((time) => time.with.median), without: power((time) => time.without.median) };
}
