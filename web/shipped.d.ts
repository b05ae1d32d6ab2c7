export const shippedFolder: string;
export const modelFiles: readonly string[];
export const meaningFiles: readonly string[];
export const shippedFiles: readonly string[];
export const shareFile: string;
export function shareOfSpeeches(): {
  readonly bytes: Uint8Array;
  readonly years: readonly number[];
} | null;
