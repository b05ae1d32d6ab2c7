// The command tril matmul A B -o OUT: numpy.matmul of two files.
#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/matmul/batched.h>

#include <algorithm>
#include <memory>

#include "program.h"
#include "progress.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::string a, b, output, method = "auto";
  MatmulOptions options;
};

// The stack for a file's tensor. As in NumPy, a vector is a row on the left and a column on the
// right.
template <typename T>
AnyView<T> stack_of(T* data, std::vector<Index> shape, bool vector_is_row) {
  if (shape.size() == 1) shape.insert(vector_is_row ? shape.begin() : shape.end(), 1);
  AnyShape sizes = {.rank = static_cast<int>(shape.size())};
  std::copy(shape.begin(), shape.end(), sizes.sizes.begin());
  return {data, sizes};
}

AnyView<const float> stack_of(const Tensor<float>& tensor, bool vector_is_row) {
  constexpr int kMost = tril::detail::kMostAxes;
  if (tensor.rank() < 1 || tensor.rank() > kMost) {
    throw Failure(tensor.file + ": must have 1 to " + std::to_string(kMost) + " axes, has shape " +
                  tensor.shape_text());
  }
  return stack_of<const float>(tensor.elements.data(), tensor.shape, vector_is_row);
}

ExitCode run(const Program& program, const Arguments& arguments) {
  Progress progress(4);
  const Tensor<float> a = load_npy(arguments.a, progress), b = load_npy(arguments.b, progress);
  const AnyView<const float> left = stack_of(a, true), right = stack_of(b, false);
  MatmulOptions options = arguments.options;
  options.method = value_of(kMatmulMethods, arguments.method);
  options.transpose_a = options.transpose_a && a.rank() > 1;
  options.transpose_b = options.transpose_b && b.rank() > 1;

  const AnyShape axes = broadcast_axes(left.shape, right.shape, "matmul");
  std::vector<Index> shape(axes.sizes.begin(), axes.sizes.begin() + axes.rank);
  shape.push_back(left.shape[left.shape.rank - (options.transpose_a ? 1 : 2)]);
  shape.push_back(right.shape[right.shape.rank - (options.transpose_b ? 2 : 1)]);
  Buffer<float, 1> out({checked_count(shape.data(), static_cast<int>(shape.size()), sizeof(float),
                                      "matmul", "output")});
  Scratch scratch;
  Parallel parallel(program.thread_count());
  progress.next("multiplying");
  try {
    batched_matmul(left, right, options, stack_of<float>(out.data(), shape, true),
                   {scratch, parallel});
  } catch (const Error& error) {
    fail("matmul", error.argument().c_str(), error.problem());
  }

  if (b.rank() == 1) shape.pop_back();
  if (a.rank() == 1) shape.erase(shape.end() - (b.rank() == 1 ? 1 : 2));
  const nlohmann::ordered_json saved = save_npy(arguments.output, shape, out.data(), progress);
  program.print({{"output", saved}}, saved_text(saved));
  return kDone;
}

}  // namespace

void add_matmul(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      program.add("matmul", "The matrix product of two files, as numpy.matmul",
                  "  tril matmul a.npy b.npy -o out.npy\n"
                  "  tril matmul a.npy b.npy -o out.npy --transpose-b --method strassen",
                  [&program, arguments] { return run(program, *arguments); });
  Program::add_file(command, "a", arguments->a, "Left: .npy, [..., rows, depth]")->required();
  Program::add_file(command, "b", arguments->b, "Right: .npy, [..., depth, cols]")->required();
  Program::add_file(command, "-o,--output", arguments->output,
                    "Where to write the product, as .npy")
      ->required();
  command
      .add_option(
          "--method", arguments->method,
          "auto (default), tiled, strassen, eigen, blocked, or a loop order: ijk, ikj, jik, "
          "jki, kij, kji")
      ->check(is_name_of(kMatmulMethods))
      ->option_text("NAME");
  command.add_flag("--transpose-a", arguments->options.transpose_a,
                   "The left one is [..., depth, rows]");
  command.add_flag("--transpose-b", arguments->options.transpose_b,
                   "The right one is [..., cols, depth]");
  program.add_threads(command);
}

}  // namespace tril::cli
