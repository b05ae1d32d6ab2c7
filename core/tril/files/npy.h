// NumPy's .npy files: one array each (numpy.org, "numpy.lib.format").
//
//   magic "\x93NUMPY", version, header length, header: a Python dictionary, data
//
// It reads versions 1, 2 and 3, bool, integers and floats of any size, both orders of axes and of
// bytes, and files to which numpy.save wrote several arrays. It writes version 1, float32, float16
// or int32, row-major, with the same bytes as numpy.save.
#pragma once

#include <tril/files/stored_tensor.h>

#include <span>
#include <string>
#include <vector>

namespace tril {

// The array of a file. Borrows the bytes and allocates only its shape. Throws Error, naming the
// byte, where the file is truncated or too long, NumPy would not read the header, the elements are
// not numbers, or the shape is too large to address.
StoredTensor parse_npy(std::span<const std::byte> file);

// All arrays of a file, at least one. Throws Error as parse_npy does.
std::vector<StoredTensor> parse_npy_arrays(std::span<const std::byte> file);

// The header of a row-major file of float32, float16 or int32. Throws Error for another type, and
// for a shape that is too large to address or has a negative axis.
std::string npy_header(std::span<const Index> shape, ElementType type = ElementType::float32);

// A whole file; write_elements says how elements are rounded. Throws Error as npy_header does, and
// where the number of elements does not fit the shape.
std::vector<std::byte> npy_bytes(std::span<const Index> shape, std::span<const float> elements,
                                 ElementType type = ElementType::float32);

}  // namespace tril
