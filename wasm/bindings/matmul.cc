#include "matmul.h"

#include <tril/matmul/matmul.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "output.h"

namespace tril::js {

namespace {

constexpr std::string_view kCall = "matmul";

struct NamedMethod {
  std::string_view name;
  MatmulMethod method;
};
constexpr NamedMethod kMethods[] = {
    {"auto", MatmulMethod::automatic}, {"ijk", MatmulMethod::ijk},
    {"ikj", MatmulMethod::ikj},        {"jik", MatmulMethod::jik},
    {"jki", MatmulMethod::jki},        {"kij", MatmulMethod::kij},
    {"kji", MatmulMethod::kji},        {"blocked", MatmulMethod::blocked},
    {"tiled", MatmulMethod::tiled},    {"strassen", MatmulMethod::strassen},
    {"eigen", MatmulMethod::eigen},
};

// One side of the product: a batch of matrices. A vector is a matrix of one row (left) or one
// column (right).
struct Side {
  const Tensor& tensor;
  DynamicShape batch;
  Shape<2> matrix;

  Side(const Tensor& given, bool transposed, bool is_left) : tensor(given) {
    if (given.rank() == 1) {
      if (transposed) {
        fail(kCall, is_left ? "transposeA" : "transposeB",
             "a vector cannot be transposed; shape is " + shape_text(given));
      }
      matrix = is_left ? Shape<2>{1, given.size(0)} : Shape<2>{given.size(0), 1};
    } else {
      batch.assign(given.shape().begin(), given.shape().end() - 2);
      matrix = {given.size(-2), given.size(-1)};
    }
  }

  Index rows(bool transposed) const { return matrix[transposed ? 1 : 0]; }
  Index cols(bool transposed) const { return matrix[transposed ? 0 : 1]; }

  // Elements from one matrix to the next along axis `axis` of the result's batch; 0 where this side
  // is repeated.
  Index stride(std::size_t axis, std::size_t batch_rank) const {
    const std::size_t missing = batch_rank - batch.size();
    if (axis < missing || batch[axis - missing] == 1) return 0;
    Index stride = matrix[0] * matrix[1];
    for (std::size_t inner = axis - missing + 1; inner < batch.size(); ++inner)
      stride *= batch[inner];
    return stride;
  }
};

DynamicShape broadcast(const Side& a, const Side& b) {
  DynamicShape shape(std::max(a.batch.size(), b.batch.size()), 1);
  const auto size = [&](const DynamicShape& batch, std::size_t axis) {
    const std::size_t missing = shape.size() - batch.size();
    return axis < missing ? 1 : batch[axis - missing];
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index of_a = size(a.batch, axis), of_b = size(b.batch, axis);
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      fail(kCall, "b",
           "batch axes do not broadcast; a is " + shape_text(a.tensor) + ", b is " +
               shape_text(b.tensor));
    }
    shape[axis] = std::max(of_a, of_b);
  }
  return shape;
}

}  // namespace

MatmulMethod matmul_method(const std::string& name, std::string_view call) {
  std::string names;
  for (const NamedMethod& known : kMethods) {
    if (known.name == name) return known.method;
    names += names.empty() ? "" : ", ";
    names += known.name;
  }
  fail(call, "method", "unknown method \"" + name + "\"; there are " + names);
}

TensorHandle matmul(Engine& engine, const Tensor& a, const Tensor& b, const MatmulOptions& options,
                    Tensor* out) {
  const Side left(a, options.transpose_a, true), right(b, options.transpose_b, false);
  const tril::MatmulOptions core_options{.method = matmul_method(options.method, kCall),
                                         .transpose_a = options.transpose_a,
                                         .transpose_b = options.transpose_b};
  const Index depth = left.cols(options.transpose_a);
  if (right.rows(options.transpose_b) != depth) {
    fail(kCall, "b",
         "depth " + std::to_string(right.rows(options.transpose_b)) + " does not match a's " +
             std::to_string(depth) + "; a is " + shape_text(a) + ", b is " + shape_text(b));
  }
  const Shape<2> product{left.rows(options.transpose_a), right.cols(options.transpose_b)};
  const DynamicShape batch = broadcast(left, right);
  DynamicShape shape = batch;
  if (a.rank() > 1) shape.push_back(product[0]);
  if (b.rank() > 1) shape.push_back(product[1]);
  if (shape.empty()) shape.push_back(1);
  const Output output(engine, out, shape, kCall);

  const Index matrices = output->count() / (product[0] * product[1]);
  for (Index n = 0; n < matrices; ++n) {
    Index rest = n, offset_a = 0, offset_b = 0;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      const Index i = rest % batch[axis];
      rest /= batch[axis];
      offset_a += i * left.stride(axis, batch.size());
      offset_b += i * right.stride(axis, batch.size());
    }
    tril::matmul({a.data() + offset_a, left.matrix}, {b.data() + offset_b, right.matrix},
                 core_options, {output->data() + n * product[0] * product[1], product},
                 engine.scratch, engine.parallel);
  }
  return output.handle();
}

}  // namespace tril::js
