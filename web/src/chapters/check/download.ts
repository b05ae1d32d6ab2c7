// Saves a tensor as a NumPy file, written by the core.
import type { TensorData } from '../../compute/shared/lessons/layouts';
import type { LessonClient } from '../../compute/page/lessons.svelte';
import { saveFile } from '../../figures/save-file';

export function saveNumpy(lessons: LessonClient, name: string, tensor: TensorData): void {
  const { shape, data } = tensor;
  lessons.ask('numpyFile', { shape, data }, (bytes) => {
    if (bytes) saveFile(new Blob([bytes], { type: 'application/octet-stream' }), `${name}.npy`);
  });
}
