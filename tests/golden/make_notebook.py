"""Makes the references of tests/wasm/notebook-golden.test.ts for tril/notebook: /usr/bin/python3 make_notebook.py, with
Debian's python3-numpy and python3-torch.

  notebook/*.py           programs, each after a line `# --- its name`
  notebook/expected.json  each program's output, the values of its names, and the type and the line of its error
"""

import contextlib
import io
import json
import traceback
import warnings

import numpy as np
import torch

from golden import FOLDER

warnings.simplefilter('ignore')


def described(value):
    """A value as JSON: arrays with type, shape and numbers, others by their repr; None if it is not compared."""
    if isinstance(value, torch.Tensor):
        numbers = value.detach().double().reshape(-1).tolist()
        return {'type': 'Tensor', 'dtype': str(value.dtype)[6:], 'shape': list(value.shape), 'numbers': numbers}
    if isinstance(value, (np.ndarray, np.generic)):
        numbers = np.asarray(value).astype(float).reshape(-1).tolist()
        return {'type': 'numpy', 'dtype': str(value.dtype), 'shape': list(value.shape), 'numbers': numbers}
    if isinstance(value, (bool, int, float, str)) or value is None:
        return {'type': type(value).__name__, 'text': repr(value)}
    if isinstance(value, (list, tuple)):
        items = [described(item) for item in value]
        return None if None in items else {'type': type(value).__name__, 'items': items}
    return None


def written(value):
    """Numbers with float32's seven digits; those that JSON lacks become texts."""
    if isinstance(value, float):
        return float(f'{value:.7g}') if np.isfinite(value) else str(value)
    if isinstance(value, list):
        return [written(item) for item in value]
    return {key: written(item) for key, item in value.items()} if isinstance(value, dict) else value


def run(code):
    out, names, error = io.StringIO(), {'__name__': '__main__'}, None
    torch.set_printoptions(profile='default')
    with contextlib.redirect_stdout(out), np.printoptions():
        try:
            exec(compile(code, 'program', 'exec'), names)
        except SyntaxError as problem:
            error = {'kind': 'SyntaxError', 'line': problem.lineno}
        except Exception as problem:
            lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == 'program']
            kind = type(problem).__name__.removeprefix('_')
            error = {'kind': 'UFuncTypeError' if kind.startswith('UFunc') else kind, 'line': lines[-1]}
    values = {name: described(value) for name, value in names.items() if not name.startswith('__')}
    values = {name: value for name, value in values.items() if value is not None}
    return written({'printed': out.getvalue(), 'values': values, 'error': error})


def programs():
    for path in sorted((FOLDER / 'notebook').glob('*.py')):
        for part in path.read_text().split('# --- ')[1:]:
            name, code = part.split('\n', 1)
            yield f'{path.stem}: {name}', code.rstrip('\n') + '\n'


if __name__ == '__main__':
    found = {name: run(code) for name, code in programs()}
    lines = [f'{json.dumps(name)}: {json.dumps(value)}' for name, value in found.items()]
    (FOLDER / 'notebook' / 'expected.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n')
