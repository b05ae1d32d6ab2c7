// The reference of the package from its doc comments: `node typedoc.mjs OUT`, run by documents.mjs. Every page's policy
// forbids all files but its own, like that of Tril's page.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  Application,
  CommentTag,
  Converter,
  OptionDefaults,
  ParameterReflection,
  ReflectionKind,
} from 'typedoc';
import { root } from './steps.mjs';

const wasm = join(root, 'wasm');

/** The groups of calls of a loaded module, by their file in wasm/src/calls. */
const categories = {
  tensor: 'Tensors and memory',
  arithmetic: 'Operations on tensors',
  elementwise: 'Operations on tensors',
  reductions: 'Operations on tensors',
  shapes: 'Operations on tensors',
  files: 'Files',
  attention: 'Attention',
  mask: 'Attention',
  'efficient-attention': 'Attention',
  'key-value-cache': 'Attention',
  'multi-head-attention': 'Layers and blocks',
  layers: 'Layers and blocks',
  norms: 'Layers and blocks',
  'feed-forward': 'Layers and blocks',
  transformer: 'Layers and blocks',
  weights: 'Layers and blocks',
  gradients: 'Gradients and losses',
  'attention-backward': 'Gradients and losses',
  'layer-gradients': 'Gradients and losses',
  'attention-gradients': 'Gradients and losses',
  'block-gradients': 'Gradients and losses',
  losses: 'Gradients and losses',
  trainer: 'Training',
  'sequence-trainer': 'Training',
  'word-vectors': 'Training',
  model: 'Models',
  tokenizer: 'Models',
  matmul: 'Matrices and softmax',
  matrices: 'Matrices and softmax',
  softmax: 'Matrices and softmax',
  cost: 'Costs and measures',
  measures: 'Costs and measures',
  'running-average': 'Attention',
  lessons: 'How it works inside',
  'online-attention': 'How it works inside',
  'softmax-steps': 'How it works inside',
  'singular-values': 'How it works inside',
};

const options = {
  name: 'Tril for JavaScript',
  includeVersion: true,
  entryPoints: [
    join(wasm, 'src/index.ts'),
    join(wasm, 'src/lessons.ts'),
    join(wasm, 'src/training.ts'),
    join(wasm, 'src/graph/index.ts'),
    join(wasm, 'src/notebook/index.ts'),
    join(wasm, 'src/worker/index.ts'),
  ],
  tsconfig: join(wasm, 'tsconfig.json'),
  readme: join(wasm, 'README.md'),
  projectDocuments: [join(wasm, 'PYTORCH.md')],
  highlightLanguages: [...OptionDefaults.highlightLanguages, 'python'],
  excludeInternal: true,
  disableGit: true,
  sourceLinkTemplate: '{path}',
  sort: ['source-order'],
  categorizeByGroup: false,
  categoryOrder: ['Begin here', ...new Set(Object.values(categories)), '*'],
  navigation: { includeCategories: true },
  headings: { readme: false },
  hideGenerator: true,
  favicon: join(root, 'web/static/icon.svg'),
  customCss: join(wasm, 'toolchain/typedoc.css'),
  navigationLinks: { Calls: 'site:api/interfaces/tril.Tril.html', 'The page': 'site:' },
  githubPages: false,
  treatWarningsAsErrors: true,
  validation: { notDocumented: true },
  requiredToBeDocumented: ['Function', 'Method', 'Class', 'Interface', 'TypeAlias', 'Variable'],
  intentionallyNotExported: [
    ...['Owner', 'RawHandle', 'RawLearner'],
    ...[
      'Traced',
      'Attention',
      'Norms',
      'NumericArray',
      'AsIs',
      'QuarterSigns',
      'RemoteCalls',
      'IfRequested',
      'WasmModule',
      'AnyText',
      'Named',
    ],
  ],
};

const commentsOf = (reflection) =>
  [reflection, reflection.getSignature ?? reflection, ...(reflection.signatures ?? [])]
    .map(({ comment }) => comment)
    .filter(Boolean);

/** The parts of a module to read first; the rest is types of arguments and results. */
const first = 'Begin here';
const beginning = [
  'loadTril',
  'Tril',
  'Tensor',
  'Trainer',
  'SequenceTrainer',
  'Model',
  'TrilError',
  'RemoteTril',
  'LessonsTril',
  'TrainingTril',
  'RemoteLessonsTril',
  'RemoteTrainingTril',
];
const types = 'Types';

/**
 * Gives a call of a Worker's object, whose type derives from its twin's, the twin's comment without the example, and
 * its arguments one by one: `RemoteModel.encode` gets those of `Model.encode`.
 */
function completeByTwin(reflection, project) {
  if (reflection.kind === ReflectionKind.Constructor) return project.removeReflection(reflection);
  const owner = reflection.parent.name
    .replace('Remote', '')
    .replace(/^Learner$/, 'SequenceTrainer');
  const twin = project
    .getReflectionsByKind(ReflectionKind.Class)
    .find(({ name }) => name === owner)
    ?.getChildByName(reflection.name);
  const words = twin && commentsOf(twin)[0]?.clone();
  if (!words || commentsOf(reflection).length > 0) return;
  words.removeTags('@example');
  for (const each of reflection.signatures ?? [reflection]) {
    each.comment = words;
    const [values] = each.parameters ?? [];
    each.parameters = values?.type.elements.map((element, n) => {
      const { name, flags, defaultValue } = twin.signatures[0].parameters[n];
      const parameter = new ParameterReflection(name, ReflectionKind.Parameter, each);
      project.registerReflection(parameter);
      return Object.assign(parameter, {
        flags,
        defaultValue,
        type: element.element ?? element,
      });
    });
  }
}

/** The files with the calls of modules that not every module has. */
const ownFiles = new Map([
  ['LessonsTril', /calls\/(lessons|online-attention|singular-values|softmax-steps)\.ts$/],
  [
    'TrainingTril',
    /calls\/((layer|attention|block)-gradients|(sequence-)?trainer|tokenizer|word-vectors|model)\.ts$/,
  ],
]);

function putInto(reflection, category) {
  for (const comment of commentsOf(reflection)) {
    comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: category }]));
  }
}

function categorise({ project }) {
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.parent?.kind === ReflectionKind.Module) {
      const readsGraphs =
        ['tril/graph', 'tril/notebook'].includes(reflection.parent.name) &&
        reflection.kind === ReflectionKind.Function;
      const isFirst = readsGraphs || beginning.includes(reflection.name);
      putInto(reflection, isFirst ? first : types);
    }
    // The Worker's calls are those of Tril, which documents them.
    const isTwin = ['RemoteTril', 'RemoteLessonsTril', 'RemoteTrainingTril'].includes(
      reflection.parent?.name,
    );
    if (isTwin && commentsOf(reflection).length === 0) project.removeReflection(reflection);
    const isOfRemote =
      reflection.parent?.kind === ReflectionKind.Class &&
      reflection.parent.name.startsWith('Remote');
    if (isOfRemote) completeByTwin(reflection, project);
    // The same holds for calls that a module of tril/lessons or tril/training shares with others.
    const own = ownFiles.get(reflection.parent?.name);
    const isOwn = own && reflection.sources?.some(({ fileName }) => own.test(fileName));
    if (own && !isOwn) project.removeReflection(reflection);
    if (reflection.parent?.name !== 'Tril' && !isOwn) continue;
    const [, file] = /calls\/([\w-]+)\.ts$/.exec(reflection.sources?.[0]?.fileName ?? '') ?? [];
    const text = categories[file];
    if (file && !text) throw new Error(`${file}.ts has no category in typedoc.mjs`);
    if (text) putInto(reflection, text);
    if (!isOwn) delete reflection.parent.extendedTypes;
    // Where a member is inherited from does not concern the reader.
    for (const each of [reflection, ...(reflection.signatures ?? [])]) delete each.inheritedFrom;
  }
}

/** TypeDoc's pages have only two landmarks, with one name: these let users of screen readers find the text. */
const landmarks = [
  ['<div class="col-content">', '<div class="col-content" role="main">'],
  ['<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Contents">'],
  ['<nav id="tsd-sidebar-links"', '<nav aria-label="Elsewhere" id="tsd-sidebar-links"'],
];

function withLandmarks(html, file) {
  for (const [plain, marked] of landmarks) {
    if (html.split(plain).length !== 2) throw new Error(`${file} has not one ${plain}`);
    html = html.replace(plain, marked);
  }
  return html.replace(
    '<div class="col-sidebar">',
    '<div class="col-sidebar" role="complementary" aria-label="Menu">',
  );
}

/**
 * Adds a policy to every page: it may load its own files, and its own inline script by its hash. Makes links within the
 * site, `site:...`, relative. The place of a definition stays as text, since the sources are not served.
 */
function finish(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.html'));
  for (const file of files) {
    const path = join(folder, file);
    const html = withLandmarks(readFileSync(path, 'utf8'), file);
    const inline = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => {
      return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
    });
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${[...new Set(inline)].join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ');
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}"/>`;
    const withoutSources = html.replace(/<a href="[^"]*">(wasm\/src\/[^<]*)<\/a>/g, '$1');
    const top = '../'.repeat(file.split(sep).length);
    const text = withoutSources.replaceAll('href="site:', `href="${top}`);
    writeFileSync(path, text.replace('<head>', `<head>${meta}`));
  }
}

const [out, cpp] = process.argv.slice(2);
if (cpp) options.navigationLinks['C++'] = `site:${cpp}`;
const app = await Application.bootstrap(options);
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, categorise, 1000);
const project = await app.convert();
if (project) {
  app.validate(project);
  await app.generateDocs(project, out);
  finish(out);
}
process.exitCode = !project || app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;
