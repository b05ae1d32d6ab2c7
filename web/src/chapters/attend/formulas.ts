// Each step's formula with its shapes, as TeX.
import type { Scene } from '../../scenes/attend/scene';
import type { StepId } from '../../state/attend-steps';

/** A symbol with its shape below. */
function shaped(symbol: string, rows: number, cols: number): string {
  return String.raw`\underset{${rows}\times ${cols}}{${symbol}}`;
}

function role(name: string, symbol: string): string {
  return String.raw`\role{${name}}{${symbol}}`;
}

const word = (name: string) => String.raw`\textit{${name}}`;

export function formulaOf(step: StepId, scene: Scene): string {
  const { length: t, inputs: c, headWidth: d, valueWidth: dv } = scene;
  const projection = (letter: string, width: number) => {
    const name = letter.toLowerCase();
    return [
      shaped(role(name, letter), t, width),
      '=',
      shaped(role('x', 'X'), t, c),
      String.raw`\;`,
      shaped(role(name, String.raw`W_${letter}^{\top}`), c, width),
    ].join('');
  };
  const scores = (name: string) => role('score', word(name));
  switch (step) {
    case 'x': {
      const parts = `1 \\mid \\text{${scene.content === 'tokens' ? 'who' : 'numbers'}} \\mid \\text{where}`;
      return String.raw`${shaped(role('x', 'X'), t, c)} = [\,${parts}\,]`;
    }
    case 'q':
      return projection('Q', d);
    case 'k':
      return projection('K', d);
    case 'v':
      return projection('V', dv);
    case 'scores':
      return `${shaped(scores('scores'), t, t)} = ${shaped(role('q', 'Q'), t, d)}\\,${shaped(role('k', 'K^{\\top}'), d, t)}`;
    case 'scaled':
      return String.raw`${shaped(scores('scaled'), t, t)} = ${scores('scores')} \,/\, \sqrt{${d}}`;
    case 'masked':
      return `${shaped(scores('masked'), t, t)} = ${scores('scaled')} + M`;
    case 'weights':
      return `${shaped(role('weight', word('weights')), t, t)} = \\operatorname{softmax}(${scores('masked')})`;
    case 'output':
      return `${shaped(role('v', word('output')), t, dv)} = ${shaped(role('weight', word('weights')), t, t)}\\;${shaped(role('v', 'V'), t, dv)}`;
  }
}
