// A tensor as a NumPy file to keep, written by the core.
import type { TensorData } from '../../compute/lessons/layouts';
import type { LessonClient } from '../../compute/lessons.svelte';

export function saveNumpy(lessons: LessonClient, name: string, tensor: TensorData): void {
  const { shape, data } = tensor;
  lessons.ask('numpyFile', { shape, data }, (bytes) => {
    if (!bytes) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    link.download = `${name}.npy`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}
