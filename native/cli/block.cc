// tril block --weights LAYER --x X --heads H -o OUT: a Transformer block with PyTorch's weights.
#include <tril/block/transformer_block.h>

#include <memory>
#include <set>

#include "program.h"
#include "progress.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::string weights, prefix, x, output, norm = "post", activation = "relu";
  TransformerBlockOptions options;
};

// The weights whose names begin with the prefix. A tensor with the prefix that is no weight of a
// block is reported, not ignored.
TransformerBlockWeights block_weights(const TensorFile<float>& file, const Arguments& arguments) {
  TransformerBlockWeights weights;
  std::set<std::string> found;
  find_parameters(weights, [&](const ParameterName& name, auto& view) {
    constexpr int Rank = std::is_same_v<decltype(view), VectorView<const float>&> ? 1 : 2;
    const std::string full = arguments.prefix + name.text();
    const Tensor<float>* const tensor = file.find(full);
    if (!tensor) return false;
    if (tensor->rank() != Rank) {
      throw Failure(tensor->file + ": must have " + std::to_string(Rank) +
                    (Rank == 1 ? " axis" : " axes") + ", has shape " + tensor->shape_text());
    }
    Shape<Rank> shape{};
    std::ranges::copy(tensor->shape, shape.begin());
    view = TensorView<const float, Rank>(tensor->elements.data(), shape);
    found.insert(full);
    return true;
  });
  for (const auto& [name, tensor] : file.tensors) {
    if (!name.starts_with(arguments.prefix) || found.contains(name)) continue;
    throw Failure(arguments.weights + ": \"" + name +
                  "\" is not a weight of a block; --prefix says what their names begin with");
  }
  for (const auto& [name, problem] : file.unread) {
    if (name.starts_with(arguments.prefix)) {
      throw Failure(arguments.weights + ": " + name + ": " + problem);
    }
  }
  return weights;
}

ExitCode run(const Program& program, const Arguments& arguments) {
  Progress progress(4);
  const TensorFile<float> file = load_file<float>(arguments.weights, progress);
  if (file.is_npy()) {
    throw Failure(arguments.weights + ": is a .npy file; a .safetensors file is needed here");
  }
  const TransformerBlockWeights weights = block_weights(file, arguments);
  const Tensor<float> x = load_npy(arguments.x, progress);
  if (x.rank() < 2 || x.rank() > 3) {
    throw Failure(x.file + ": must have shape [B, T, C] or [T, C], has " + x.shape_text());
  }
  Shape<3> shape = {1, 1, 1};
  std::copy_backward(x.shape.begin(), x.shape.end(), shape.end());
  TransformerBlockOptions options = arguments.options;
  options.norm = value_of(kNormOrders, arguments.norm);
  options.activation = value_of(kActivations, arguments.activation);

  Buffer<float, 3> out(shape);
  Scratch scratch;
  Parallel parallel(program.thread_count());
  progress.next("computing");
  transformer_block({x.elements.data(), shape}, weights, options, out, {scratch, parallel});
  const nlohmann::ordered_json saved = save_npy(arguments.output, x.shape, out.data(), progress);
  program.print({{"output", saved}}, saved_text(saved));
  return kDone;
}

}  // namespace

void add_block(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "block", "A Transformer block, as torch.nn.TransformerEncoderLayer with batch_first",
      "  tril block --weights layer.safetensors --x x.npy --heads 8 -o out.npy\n"
      "  tril block --weights model.safetensors --prefix encoder.layers.0. --x x.npy --heads 8\n"
      "    --norm pre --activation gelu --causal -o out.npy",
      [&program, arguments] { return run(program, *arguments); });
  TransformerBlockOptions& options = arguments->options;
  Program::add_file(
      command, "--weights", arguments->weights,
      "The layer's state_dict as .safetensors: self_attn.in_proj_weight, ...; biases and "
      "norm1, norm2 may be left out")
      ->required();
  command.add_option("--prefix", arguments->prefix, "What the names of the weights begin with");
  Program::add_file(command, "--x", arguments->x, "Input: .npy, [B, T, C] or [T, C]")->required();
  command.add_option("--heads", options.heads, "Heads; they divide C")->required();
  command.add_option("--kv-heads", options.kv_heads, "Heads of keys and values (default: --heads)");
  Program::add_file(command, "-o,--output", arguments->output, "Where to write the output, as .npy")
      ->required();
  command.add_flag("--causal", options.attention.causal, "A token sees itself and those before it");
  command.add_option("--norm", arguments->norm, "post (default) or pre: where the norms are")
      ->check(is_name_of(kNormOrders))
      ->option_text("ORDER");
  command
      .add_option("--activation", arguments->activation, "relu (default), gelu, gelu_tanh or silu")
      ->check(is_name_of(kActivations))
      ->option_text("NAME");
  command.add_option("--eps", options.eps, "Added to the variance in norms (default: 1e-5)");
  program.add_threads(command);
}

}  // namespace tril::cli
