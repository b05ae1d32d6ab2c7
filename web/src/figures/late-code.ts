// Programs whose writer is loaded when one of them is requested.
type Languages = 'numpy' | 'pytorch' | 'cpp';

/** The programs of a chapter, written by `code` of its `later.ts`. */
export const lateCode =
  <Code>(later: () => Promise<{ readonly code: () => Promise<Code> }>) =>
  (programs: (code: Code) => Readonly<Record<Languages, () => string>>) => {
    const by = (language: Languages) => async () =>
      programs(await (await later()).code())[language]();
    return { numpy: by('numpy'), pytorch: by('pytorch'), cpp: by('cpp') };
  };
