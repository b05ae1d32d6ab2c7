// The chapters that are registered, with the titles that their language gives them.
import { chapters as registered } from '../../web/src/chapters/index.ts';
import { message } from './messages.ts';

export const chapters = registered.map((chapter) => ({
  ...chapter,
  title: message(`shell.about.${chapter.id}.title`),
  description: message(`shell.about.${chapter.id}.description`),
}));
