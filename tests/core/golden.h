// PyTorch's numbers: reads tests/golden/PATH.npy, and draws the inputs that belong to them
// (tests/golden/golden.py draws the same bits).
#pragma once

#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tril::testing {

static_assert(std::endian::native == std::endian::little, ".npy files here are little-endian");

// The float32 array in tests/golden/`path`.npy. Throws std::runtime_error where there is none of
// this rank; NumPy's format 1.0: magic, version, a 16-bit header length, a Python dictionary, the
// data.
template <int Rank>
Buffer<float, Rank> golden(const std::string& path) {
  std::ifstream file(std::string(TRIL_GOLDEN) + "/" + path + ".npy", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto broken = [&](const char* problem) {
    return std::runtime_error(path + ": " + problem);
  };
  if (bytes.size() < 10 || bytes.compare(0, 8, std::string("\x93NUMPY\x01\0", 8)) != 0) {
    throw broken("no .npy file of format 1.0");
  }
  const std::size_t length = static_cast<unsigned char>(bytes[8]) +
                             std::size_t{256} * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, length);
  static const std::regex kHeader(
      R"(\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \}\s*)");
  std::smatch match;
  if (!std::regex_match(header, match, kHeader)) throw broken("not float32 in row-major order");
  Shape<Rank> shape{};
  std::istringstream axes(match[1].str());
  int rank = 0;
  for (std::string axis; std::getline(axes, axis, ',') && axis != " ";) {
    if (rank == Rank) throw broken("has more axes than asked for");
    shape[static_cast<std::size_t>(rank++)] = std::stol(axis);
  }
  if (rank != Rank) throw broken("has fewer axes than asked for");

  Buffer<float, Rank> array(shape);
  const std::size_t size = static_cast<std::size_t>(array.view().count()) * sizeof(float);
  if (bytes.size() != 10 + length + size) throw broken("is cut short");
  std::memcpy(array.data(), bytes.data() + 10 + length, size);
  return array;
}

// A tensor of inputs, even in [-1, 1): multiples of 2^-23, exact in every build.
template <int Rank>
Buffer<float, Rank> uniform(const Shape<Rank>& shape, Random& random) {
  Buffer<float, Rank> buffer(shape);
  fill_uniform(buffer.view(), random, -1.0f, 1.0f);
  return buffer;
}

}  // namespace tril::testing
