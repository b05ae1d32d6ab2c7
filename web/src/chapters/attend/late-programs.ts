// The programs of the chapter's figures, whose code is loaded when a program is asked for.
import { lateCode } from '../../figures/late-code';

type Code = typeof import('./code');
type Programs = Parameters<typeof lateCode<Code>>[1];

export const codeBy = (programs: Programs) => lateCode(() => import('./later'), programs);
