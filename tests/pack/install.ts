// Packs the package and installs the tarball, without a network, beside the files of project/.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { call } from './call.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with everything in it. */
    project: string;
    tarball: string;
    /** All paths in the tarball. */
    packed: string[];
  }
}

export default async function install({ provide }: TestProject): Promise<() => void> {
  const source = dirname(createRequire(import.meta.url).resolve('tril/package.json'));
  const project = mkdtempSync(join(tmpdir(), 'tril-pack-'));
  cpSync(fileURLToPath(new URL('project', import.meta.url)), project, { recursive: true });
  const output = await call(source, 'npm', 'pack', '--json', '--pack-destination', project);
  const [{ filename, files }] = JSON.parse(output) as [
    { filename: string; files: { path: string }[] },
  ];
  const tarball = join(project, filename);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  await call(project, 'npm', 'install', '--offline', tarball);
  provide('project', project);
  provide('tarball', tarball);
  provide(
    'packed',
    files.map(({ path }) => path),
  );
  return () => rmSync(project, { recursive: true });
}
