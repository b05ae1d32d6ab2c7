// `npm run setup`: installs what is missing. It is plain Node, since it runs before any package is installed. Other
// programs use setupSteps() for what they need of it.

import { fileURLToPath } from 'node:url';
import { StepError, main, runSteps } from './steps.mjs';
import { ensureSystem } from './system.mjs';
import { ensureEmscripten, ensurePackages } from './packages.mjs';

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return `${process.version}`;
  throw new StepError(`This is Node ${process.versions.node}.`, {
    advice: 'install Node 20.19 or newer (https://nodejs.org)',
  });
}

/** For the purposes see system.mjs. */
export function setupSteps(purposes) {
  const steps = [
    { name: 'Node', work: checkNode },
    { name: 'System packages', work: () => ensureSystem(purposes) },
    { name: 'npm packages', work: ensurePackages },
  ];
  if (purposes.includes('page')) steps.push({ name: 'Emscripten', work: ensureEmscripten });
  return steps;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(() => runSteps(setupSteps(['page', 'core', 'browser', 'webkit', 'check', 'bench'])));
}
