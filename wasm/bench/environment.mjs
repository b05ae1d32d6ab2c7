// The environment that every measured process gets, so that nobody is held back by the machine's settings.

/**
 * Threads for OpenMP, by which OpenBLAS, oneDNN and PyTorch share their work. Unset, by undefined: what
 * some machines set for everyone to choose kernels, hiding AVX-512 from OpenBLAS, oneDNN and PyTorch.
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
