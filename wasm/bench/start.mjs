// One cold start, for loading.mjs: prints the duration of each part in ms, as JSON.

const clock = () => performance.now();
const begin = clock();
const { loadTril } = await import('tril');
const imported = clock();
const tril = await loadTril({ variant: process.argv[2] });
const loaded = clock();
const x = tril.tensor([1, 2, 3, 4]);
tril.softmax(x).read();
const computed = clock();
await loadTril({ variant: process.argv[2] });
const again = clock();

console.log(
  JSON.stringify({
    'ready to compute': loaded - begin,
    "import 'tril'": imported - begin,
    'loadTril()': loaded - imported,
    'first result': computed - loaded,
    'loadTril() again': again - computed,
  }),
);
process.exit(); // without waiting for the threads' Workers
