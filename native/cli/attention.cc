// tril attention --q Q --k K --v V -o OUT: scaled dot-product attention of files.
#include <tril/attention/attention.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "program.h"
#include "progress.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::string query, key, value, mask, output, weights, method = "auto";
  Index heads = 0, kv_heads = 0;
  AttentionOptions options;
};

// A view [B, H, T, D]. Without `heads` the tensor has that shape or its last axes; with `heads`,
// which then lie side by side, it is [B, T, H * D] or [T, H * D].
template <typename T>
TensorView<T, 4> as_heads(T* data, const std::vector<Index>& shape, Index heads) {
  Shape<4> padded = {1, 1, 1, 1};
  std::copy_backward(shape.begin(), shape.end(), padded.end());
  if (heads == 0) return {data, padded};
  const auto [none, batches, tokens, width] = padded;
  return {data, {batches, heads, tokens, width / heads}, {tokens * width, width / heads, width, 1}};
}

TensorView<const float, 4> as_heads(const Tensor<float>& tensor, Index heads) {
  const int most = heads == 0 ? 4 : 3;
  if (tensor.rank() < 2 || tensor.rank() > most) {
    throw Failure(tensor.file + ": must have " +
                  (heads == 0 ? "shape [B, H, T, D], [H, T, D] or [T, D]"
                              : "shape [B, T, H*D] or [T, H*D] with --heads") +
                  ", has " + tensor.shape_text());
  }
  if (heads > 0 && tensor.shape.back() % heads != 0) {
    throw Failure(tensor.file + ": " + std::to_string(heads) +
                  " heads do not divide the last axis of " + tensor.shape_text());
  }
  return as_heads<const float>(tensor.elements.data(), tensor.shape, heads);
}

// The mask with its elements, which the core borrows.
struct MaskFile {
  Tensor<float> values;
  std::vector<std::uint8_t> visible;
  Mask mask;
};

// bool: true where a key may be seen; floats: added to the scores.
std::unique_ptr<MaskFile> load_mask(const std::string& path, Progress& progress) {
  auto file = std::make_unique<MaskFile>();
  file->values = load_npy(path, progress);
  const Tensor<float>& values = file->values;
  if (values.rank() < 2 || values.rank() > 4) {
    throw Failure(path + ": a mask has shape [B, H, T, S] or its last axes, this has " +
                  values.shape_text());
  }
  const TensorView<const float, 4> view = as_heads(values, 0);
  switch (values.type) {
    case ElementType::boolean:
      file->visible.assign(values.elements.data(),
                           values.elements.data() + values.elements.shape()[0]);
      file->mask = Mask::boolean({file->visible.data(), view.shape()});
      return file;
    case ElementType::float16:
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::float64:
      file->mask = Mask::additive(view);
      return file;
    default:
      throw Failure(
          path + ": a mask is bool (true: may be seen) or float (added to the scores), this is " +
          element_name(values.type));
  }
}

ExitCode run(const Program& program, const Arguments& arguments) {
  const bool masked = !arguments.mask.empty(), traced = !arguments.weights.empty();
  const auto whole = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (traced && whole(arguments.weights) == whole(arguments.output)) {
    throw Failure(arguments.weights + ": is named by both --weights and --output");
  }
  Progress progress(5u + masked + traced);
  const Tensor<float> q = load_npy(arguments.query, progress),
                      k = load_npy(arguments.key, progress),
                      v = load_npy(arguments.value, progress);
  const Index kv_heads = arguments.kv_heads > 0 ? arguments.kv_heads : arguments.heads;
  const TensorView<const float, 4> query = as_heads(q, arguments.heads),
                                   key = as_heads(k, kv_heads), value = as_heads(v, kv_heads);
  AttentionOptions options = arguments.options;
  options.method = value_of(kAttentionMethods, arguments.method);
  std::unique_ptr<MaskFile> mask;
  if (masked) {
    mask = load_mask(arguments.mask, progress);
    options.mask = mask->mask;
  }

  std::vector<Index> shape = q.shape;
  shape.back() = value.size(3) * (arguments.heads > 0 ? arguments.heads : 1);
  Index count = 1;
  for (const Index size : shape) count *= size;
  Buffer<float, 1> out({count});
  Buffer<float, 4> weights;
  AttentionTrace trace;
  if (traced) {
    weights = Buffer<float, 4>({query.size(0), query.size(1), query.size(2), key.size(2)});
    trace.weights = weights;
  }
  Scratch scratch;
  Parallel parallel(program.thread_count());
  progress.next("attending");
  attention(query, key, value, options, as_heads<float>(out.data(), shape, arguments.heads),
            {scratch, parallel}, trace);

  nlohmann::ordered_json report;
  report["output"] = save_npy(arguments.output, shape, out.data(), progress);
  std::string text = saved_text(report["output"]);
  if (traced) {
    const std::vector<Index> axes(weights.shape().begin(), weights.shape().end());
    report["weights"] = save_npy(arguments.weights, axes, weights.data(), progress);
    text += saved_text(report["weights"]);
  }
  program.print(report, text);
  return kDone;
}

}  // namespace

void add_attention(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "attention", "Scaled dot-product attention of queries, keys and values",
      "  tril attention --q q.npy --k k.npy --v v.npy --causal -o out.npy\n"
      "  tril attention --q q.npy --k k.npy --v v.npy --heads 8 --mask mask.npy -o out.npy",
      [&program, arguments] { return run(program, *arguments); });
  Program::add_file(command, "--q", arguments->query,
                    "Queries: .npy, [B, H, T, D], [H, T, D] or [T, D]")
      ->required();
  Program::add_file(command, "--k", arguments->key, "Keys, [B, Hk, S, D]; Hk divides H")
      ->required();
  Program::add_file(command, "--v", arguments->value, "Values, [B, Hk, S, Dv]")->required();
  Program::add_file(command, "-o,--output", arguments->output, "Where to write the output, as .npy")
      ->required();
  Program::add_file(command, "--weights", arguments->weights,
                    "Where to write the weights [B, H, T, S], too");
  command
      .add_option("--heads", arguments->heads,
                  "Heads lie side by side: --q is [B, T, H*D] or [T, H*D], and so is the output")
      ->check(in_range(1));
  command
      .add_option("--kv-heads", arguments->kv_heads,
                  "The same for keys and values (default: --heads)")
      ->check(in_range(1))
      ->needs("--heads");
  command.add_flag("--causal", arguments->options.causal,
                   "A query sees keys up to its own position");
  command.add_option("--past", arguments->options.past, "Number of keys before the first query");
  Program::add_file(command, "--mask", arguments->mask,
                    "[B, H, T, S] or its last axes, each may be 1: bool, true where a key may be "
                    "seen, or float, added to the scores");
  command.add_option("--scale", arguments->options.scale,
                     "Scores are multiplied by this (default: 1 / sqrt(D))");
  command.add_option("--softcap", arguments->options.softcap,
                     "c: scores become c * tanh(score / c) before the mask");
  command.add_option("--method", arguments->method, "auto (default), full, blocked or online")
      ->check(is_name_of(kAttentionMethods))
      ->option_text("NAME");
  program.add_threads(command);
}

}  // namespace tril::cli
