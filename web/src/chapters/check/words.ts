import text from '$texts/check.yaml';
import { inText } from '../../figures/format';
import { activations } from '../../state/check';

type Id = keyof typeof text.variants;

/** Description of a variant, to stand after "equals". */
export function variantName({ id, value = 0 }: { id: string; value?: number }): string {
  switch (id as Id) {
    case 'otherScale':
      return text.variants.otherScale({ scale: inText(value) });
    case 'timesFactor':
      return text.variants.timesFactor({ factor: inText(value) });
    case 'sideBySide':
      return text.variants.sideBySide({ heads: value });
    case 'otherHeads':
      return text.variants.otherHeads({ heads: value });
    case 'otherActivation':
      return text.variants.otherActivation({ activation: activations[value] });
    case 'otherActivationAndNorm':
      return text.variants.otherActivationAndNorm({ activation: activations[value] });
    default: {
      const name = text.variants[id as Id] as unknown;
      return typeof name === 'string' ? name : id;
    }
  }
}
