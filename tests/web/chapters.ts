// The chapters that are registered, with the titles that their language gives them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { chapters as registered } from '../../web/src/chapters/index.ts';

const file = fileURLToPath(new URL('../../web/src/texts/en/shell.yaml', import.meta.url));
const { about } = parse(readFileSync(file, 'utf8')) as {
  about: Record<string, { title: string; description: string }>;
};

export const chapters = registered.map((chapter) => ({ ...chapter, ...about[chapter.id] }));
