// The registered chapters, with their titles in the language of the build.
import { chapters as registered } from '../../web/src/chapters/index.ts';
import { message } from './messages.ts';

export const chapters = registered.map((chapter) => ({
  ...chapter,
  title: message(`shell.about.${chapter.id}.title`),
  description: message(`shell.about.${chapter.id}.description`),
}));
