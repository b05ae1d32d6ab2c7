// Addresses of PyTorch's numbers: the files of tests/golden themselves, shipped with the page unchanged.
import block from '../../../../tests/golden/block/classic_full_post.npy?url';
import preBlock from '../../../../tests/golden/block/classic_full_pre.npy?url';
import grouped from '../../../../tests/golden/attention/grouped.npy?url';
import window from '../../../../tests/golden/attention/window.npy?url';
import linear from '../../../../tests/golden/efficient/linear.npy?url';
import singular from '../../../../tests/golden/efficient/singular_values.npy?url';
import softmax from '../../../../tests/golden/efficient/weights.npy?url';
import gelu from '../../../../tests/golden/layers/gelu.npy?url';
import layerNorm from '../../../../tests/golden/layers/layer_norm_64_scaled.npy?url';
import multiHead from '../../../../tests/golden/multi_head/normal/output_h4.npy?url';
import type { ExampleId } from '../../compute/shared/lessons/golden';

const urls: Readonly<Record<ExampleId, string>> = {
  ...{ multiHead, block, preBlock, softmax, layerNorm, gelu },
  ...{ window, grouped, linear, singular },
};

export async function expectedOf(id: ExampleId): Promise<ArrayBuffer> {
  const response = await fetch(urls[id]);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
