// NumPy's .npy files: one array each (numpy.org, "numpy.lib.format").
//
//   magic "\x93NUMPY", version, header length, header: a Python dictionary, data
//
// Read: versions 1, 2 and 3, bool, integers and floats of any size, both orders of axes and of
// bytes, and files into which numpy.save wrote several arrays, one after the other. Written:
// version 1, float32, float16 or int32, row-major, the bytes that numpy.save writes.
#pragma once

#include <tril/files/stored_tensor.h>

#include <span>
#include <string>
#include <vector>

namespace tril {

// The array in a file's bytes, which it borrows; no more memory than for the shape is taken. Throws
// Error, saying at which byte, where the file is cut short or too long, its header is not what
// NumPy reads, its elements are not numbers, or its shape is too large to address.
StoredTensor parse_npy(std::span<const std::byte> file);

// All arrays of a file, at least one. Throws Error as parse_npy does, wherever in the file it is.
std::vector<StoredTensor> parse_npy_arrays(std::span<const std::byte> file);

// What stands in a file before the elements: row-major, float32, float16 or int32. Throws Error for
// another type, and for a shape that is too large to address or has a negative axis.
std::string npy_header(std::span<const Index> shape, ElementType type = ElementType::float32);

// A whole file; see write_elements for how they are rounded. Throws Error where elements are not as
// many as the shape says, too.
std::vector<std::byte> npy_bytes(std::span<const Index> shape, std::span<const float> elements,
                                 ElementType type = ElementType::float32);

}  // namespace tril
