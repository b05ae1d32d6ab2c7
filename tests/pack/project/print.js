import { compute } from './compute.js';

console.log(JSON.stringify(await compute(Number(process.argv[2] ?? 1))));
