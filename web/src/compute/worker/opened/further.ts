// A copy of the open model learns a visitor's text: its generated text, and the change of its heads.
import type { Trainer } from 'tril';
import { parted, windowsOf } from '../training/own';
import {
  settingsOf,
  widest,
  written,
  type Adapter,
  type FurtherRequests,
} from '../../shared/opened/further-protocol';
import { movedOf, namesOfHeads } from '../../shared/opened/head-pieces';
import type { Opened, Work } from './work';

type Further = FurtherRequests['further'];

function begin(opened: Opened, text: string, lora: Adapter | null): void {
  opened.pupil?.dispose();
  opened.pupil = undefined;
  const { tril, model, shape } = opened;
  // Only learned positions are bound to the complete context.
  const context = shape.family === 'gpt2' ? shape.context : Math.min(shape.context, widest);
  const settings = settingsOf(lora);
  const trainer = tril.trainer({ from: model, model: { context }, ...settings, data: text });
  const beginning = trainer.parameters(namesOfHeads(shape));
  opened.pupil = {
    ...{ trainer, beginning, before: null },
    unseen: windowsOf(trainer.encode(parted(text).heldOut), context),
    dispose() {
      for (const tensor of Object.values(beginning)) tensor.dispose();
      trainer.dispose();
    },
  };
}

export async function further(
  opened: Opened,
  { text, lora, prompt, upTo }: Further['ask'],
  work: Work<number>,
): Promise<Further['answer']> {
  if (text !== null) begin(opened, text, lora);
  const { tril, model, shape } = opened;
  const pupil = opened.pupil!;
  const { trainer, unseen, beginning } = pupil;
  while (trainer.done < upTo) {
    await work.turn();
    trainer.step();
    work.say(trainer.done);
  }
  const options = { maxTokens: written, temperature: 0 };
  const said = async (who: Pick<Trainer | typeof model, 'generate'>) => {
    let all = '';
    for await (const part of who.generate(prompt, options)) {
      all += part.text;
      await work.turn();
    }
    return all;
  };
  const moved = tril.scope(() =>
    movedOf(tril, shape, beginning, trainer.parameters(Object.keys(beginning))),
  );
  const { loss } = trainer.evaluate(unseen);
  if (pupil.before?.prompt !== prompt) pupil.before = { prompt, text: await said(model) };
  const { text: before } = pupil.before;
  const now = await said(trainer);
  const { done: step, parameterCount: trained } = trainer;
  return { step, trained, loss, prompt, before, now, moved };
}

export function adapter({ tril, model }: Opened, lora: Adapter): number {
  const trainer = tril.trainer({ from: model, ...settingsOf(lora) });
  const { parameterCount } = trainer;
  trainer.dispose();
  return parameterCount;
}

/** The copy may see as many tokens as the model, although it was trained on shorter windows. */
export function furtherFiles({ pupil, shape }: Opened): FurtherRequests['furtherFiles']['answer'] {
  const { trainer } = pupil!;
  const files = trainer.export();
  const config = JSON.parse(new TextDecoder().decode(files['config.json']));
  if (config.max_position_embeddings) config.max_position_embeddings = shape.context;
  const bytes = new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
  const adapted = trainer.settings.lora && trainer.exportAdapter();
  return { ...files, 'config.json': bytes, ...adapted };
}
