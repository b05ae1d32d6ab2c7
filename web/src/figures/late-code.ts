// Programs whose writer is loaded when one of them is requested.
type Languages = 'numpy' | 'pytorch' | 'cpp';

export function lateCode<Code>(
  load: () => Promise<Code>,
  programs: (code: Code) => Readonly<Record<Languages, () => string>>,
) {
  const by = (language: Languages) => async () => programs(await load())[language]();
  return { numpy: by('numpy'), pytorch: by('pytorch'), cpp: by('cpp') };
}
