// tril look --model DIR --prompt TEXT: the attention weights of a language model's heads.
#include "look.h"

#include <tril/files/file.h>
#include <tril/files/npy.h>
#include <tril/model/model_attention.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "look_page.h"
#include "model_folder.h"
#include "npz.h"
#include "program.h"
#include "progress.h"

namespace tril::cli {
namespace {

struct Arguments {
  ModelFolder model;
  std::string prompt;
  std::string output, page;  // files; empty: not wanted
  std::optional<Index> layer, head;
};

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t n) {
      return at + n < bytes.size() ? std::to_integer<unsigned>(bytes[at + n]) : 0u;
    };
    const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t n = 0; n < 4; ++n) {
      text += at + n > bytes.size() ? '=' : kLetters[bits >> (18 - 6 * n) & 63];
    }
  }
  return text;
}

std::span<const std::byte> bytes_of(const Look& look) {
  return std::as_bytes(
      std::span(look.weights.data(), static_cast<std::size_t>(look.weights.view().count())));
}

void save_page(const std::string& path, const Look& look) {
  constexpr std::size_t kMost = std::size_t{100} << 20;
  if (bytes_of(look).size() > kMost) {
    throw Failure(path + ": the weights take " + std::to_string(bytes_of(look).size() >> 20) +
                  " MiB, and a page at most 100: a shorter text, or -o, helps");
  }
  std::string data = json_text({{"title", "Attention of " + look.model},
                                {"layers", look.layers()},
                                {"heads", look.heads()},
                                {"tokens", look.tokens},
                                {"weights", base64(bytes_of(look))}});
  // Escaped, so that no token can end the script.
  for (std::size_t at = 0; (at = data.find('<', at)) != data.npos;) data.replace(at, 1, "\\u003c");
  const std::string_view page = kLookPage;
  const std::size_t place = page.find(kLookData);
  const std::span<const std::byte> pieces[] = {
      std::as_bytes(std::span(page.substr(0, place))), std::as_bytes(std::span(data)),
      std::as_bytes(std::span(page.substr(place + std::size(kLookData) - 1)))};
  write_file(path, pieces);
}

void save_weights(const std::string& path, const Look& look) {
  const auto& shape = look.weights.shape();
  const std::string header = npy_header(shape);
  const std::span<const std::byte> weights[] = {std::as_bytes(std::span(header)), bytes_of(look)};
  if (!path.ends_with(".npz")) return write_file(path, weights);
  const std::string about = npy_header(std::array{look.count()}, ElementType::int32);
  const std::span<const std::byte> ids[] = {std::as_bytes(std::span(about)),
                                            std::as_bytes(std::span(look.ids))};
  const NpzMember members[] = {{"weights", weights}, {"tokens", ids}};
  write_npz(path, members);
}

Look look_at(const Program& program, const Arguments& arguments) {
  const PretrainedModel model = arguments.model.read();
  const Tokenizer& tokenizer = arguments.model.tokenizer_of(model);
  Look look;
  look.model = std::filesystem::weakly_canonical(arguments.model.path).filename().string();
  for (const TokenId id : tokenizer.encode(text_of(arguments.prompt))) {
    look.ids.push_back(id);
    look.tokens.emplace_back(tokenizer.text(id));
  }
  const auto count = static_cast<Index>(look.ids.size());
  look.weights = Buffer<float, 4>(model_attention_shape(model.parameters, count));
  Parallel parallel(program.thread_count());
  model_attention(model.parameters, look.ids, look.weights, parallel);
  return look;
}

nlohmann::ordered_json report_of(const Look& look, const Arguments& arguments) {
  nlohmann::ordered_json report = {{"tokens", look.ids},
                                   {"texts", look.tokens},
                                   {"layers", look.layers()},
                                   {"heads", look.heads()}};
  if (!arguments.layer) return report;
  const MatrixView<const float> head = look.weights.view()[*arguments.layer][*arguments.head];
  for (Index t = 0; t < look.count(); ++t) {
    report["weights"].push_back(std::vector<float>(head[t].data(), head[t].data() + look.count()));
  }
  return report;
}

void check_within(const char* option, const std::optional<Index>& given, Index count) {
  if (!given || *given < count) return;
  throw Failure(Message(option, ": must be from 0 to ", count - 1, ", is ", *given).text());
}

ExitCode run(const Program& program, const Arguments& arguments) {
  if (arguments.layer.has_value() != arguments.head.has_value()) {
    throw Failure("--layer and --head go together");
  }
  const Look look = [&] {
    try {
      return look_at(program, arguments);
    } catch (const Error& error) {
      throw Failure((error.argument() == "tokens" ? "--prompt" : error.argument()) + ": " +
                    error.problem());
    }
  }();
  check_within("--layer", arguments.layer, look.layers());
  check_within("--head", arguments.head, look.heads());
  std::string text =
      arguments.layer ? map_of(look, *arguments.layer, *arguments.head) : overview(look);
  nlohmann::ordered_json report = report_of(look, arguments);
  const auto save = [&](const std::string& path, const char* name, const auto& write) {
    if (path.empty()) return;
    try {
      write(path, look);
    } catch (const Error& error) {
      throw Failure(path + ": " + error.problem());
    }
    report[name] = path;
    text += path + " is written.\n";
  };
  save(arguments.output, "output", save_weights);
  save(arguments.page, "html", save_page);
  program.print(report, text);
  return kDone;
}

}  // namespace

void add_look(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "look", "Show what the heads of a language model look at",
      "  tril look --model gpt2 --prompt \"The cat sat on the mat\"\n"
      "  tril look --model gpt2 --prompt \"The cat sat\" --layer 4 --head 11\n"
      "  tril look --model run --prompt - -o attention.npz --html attention.html < text.txt",
      [&program, arguments] { return run(program, *arguments); });
  arguments->model.add_to(command);
  command.add_option("--prompt", arguments->prompt, "What the model reads; - for standard input")
      ->required()
      ->option_text("TEXT");
  command.add_option("--layer", arguments->layer, "Show a head of this layer, counted from 0")
      ->check(in_range(0, 1 << 24))
      ->option_text("N");
  command.add_option("--head", arguments->head, "Show this head of the layer, counted from 0")
      ->check(in_range(0, 1 << 24))
      ->option_text("N");
  Program::add_file(command, "-o,--output", arguments->output,
                    "Where to write the weights of all heads, [layers, heads, T, T]: as .npz, with "
                    "the tokens' ids, or as .npy");
  Program::add_file(command, "--html", arguments->page,
                    "Where to write a page to look at all heads in, which needs nothing else");
  program.add_threads(command);
}

}  // namespace tril::cli
