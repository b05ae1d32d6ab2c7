// The lowest floors alone: writes and reads a file.
#include <tril/files/safetensors.h>

#include <cstdio>

int main() {
  const float numbers[] = {1, 2, 3};
  const tril::TensorToStore stored[] = {{"numbers", {3}, numbers}};
  const auto file = tril::safetensors_bytes(stored);
  const auto read = tril::parse_safetensors(file);
  float first = 0;
  tril::StoredTensor tensor = read.tensors[0].tensor;
  tensor.shape = {1};
  tensor.bytes = tensor.bytes.first(sizeof(float));
  tril::read_elements(tensor, std::span(&first, 1));
  std::printf("%s %g\n", read.tensors[0].name.c_str(), static_cast<double>(first));
}
