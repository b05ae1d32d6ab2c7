// The environment of every measured process, so that no library is slowed down by the machine's settings.

/**
 * Threads for OpenMP, with which OpenBLAS, oneDNN and PyTorch divide their work. The undefined ones are unset: some
 * machines set them for everyone to choose kernels, hiding AVX-512 from OpenBLAS, oneDNN and PyTorch.
 */
export const peerEnvironment = (threads) => ({
  OMP_NUM_THREADS: String(threads),
  OPENBLAS_NUM_THREADS: undefined,
  OPENBLAS_CORETYPE: undefined,
  DNNL_MAX_CPU_ISA: undefined,
  ONEDNN_MAX_CPU_ISA: undefined,
  ATEN_CPU_CAPABILITY: undefined,
  MKL_ENABLE_INSTRUCTIONS: undefined,
  TRIL_FORCE_ISA: undefined,
});
