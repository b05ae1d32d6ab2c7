// Programs whose writer is fetched when one of them is asked for.
type Languages = 'numpy' | 'pytorch' | 'cpp';

export function lateCode<Code>(
  load: () => Promise<Code>,
  programs: (code: Code) => Readonly<Record<Languages, () => string>>,
) {
  const by = (language: Languages) => async () => programs(await load())[language]();
  return { numpy: by('numpy'), pytorch: by('pytorch'), cpp: by('cpp') };
}
