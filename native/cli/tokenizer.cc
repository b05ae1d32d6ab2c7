// tril tokenizer: train one, encode with it, decode with it.
#include <tril/files/file.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>

#include "program.h"
#include "progress.h"
#include "train_data.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::vector<std::string> train, special;
  std::string kind = "bpe", output, tokenizer, merges;
  TokenId vocabulary = 0;
  std::optional<std::string> encode, decode;
  bool lines = false, no_special = false, no_template = false;
};

ExitCode train(const Program& program, const Arguments& arguments) {
  if (arguments.output.empty()) throw Failure("--output is required with --train");
  Progress progress(arguments.train.size() + 2);
  std::vector<std::vector<std::byte>> files;
  std::vector<std::string_view> texts;
  for (const std::string& path : arguments.train) {
    progress.next("reading " + path);
    try {
      files.push_back(read_file(path));
    } catch (const Error& error) {
      throw Failure(path + ": " + error.problem());
    }
    texts.emplace_back(reinterpret_cast<const char*>(files.back().data()), files.back().size());
  }
  progress.next("training");
  const TokenizerKind kind = value_of(kTokenizerKinds, arguments.kind);
  const Tokenizer tokenizer =
      train_tokenizer(texts, {kind, arguments.vocabulary, arguments.special});
  progress.next("writing " + arguments.output);
  const std::string file = tokenizer_json(tokenizer);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  try {
    write_file(arguments.output, {&bytes, 1});
  } catch (const Error& error) {
    throw Failure(arguments.output + ": " + error.problem());
  }
  program.print({{"file", arguments.output},
                 {"kind", arguments.kind},
                 {"tokens", tokenizer.size()},
                 {"merges", tokenizer.parts().merges.size()}},
                arguments.output + ": " + std::to_string(tokenizer.size()) + " tokens" +
                    why_fewer(kind, arguments.vocabulary, tokenizer.size()) + "\n");
  return kDone;
}

std::string line_of(const std::vector<TokenId>& ids) {
  std::string line;
  for (const TokenId id : ids) {
    if (!line.empty()) line += ' ';
    line += std::to_string(id);
  }
  return line + '\n';
}

// The report of --json: ids, tokens and offsets of a text.
nlohmann::ordered_json report_of(const Tokenizer& tokenizer, const EncodedText& encoded) {
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array(), offsets = tokens;
  for (const TokenId id : encoded.ids) tokens.push_back(std::string(tokenizer.token(id)));
  for (const TokenSpan& span : encoded.spans) offsets.push_back({span.begin, span.end});
  return {{"ids", encoded.ids}, {"tokens", tokens}, {"offsets", offsets}};
}

ExitCode encode(const Program& program, const Arguments& arguments, const Tokenizer& tokenizer) {
  const std::string text = text_of(*arguments.encode);
  const EncodeOptions options{.special_tokens = !arguments.no_special,
                              .affixes = !arguments.no_template};
  const auto encoded = [&](std::string_view part) {
    if (program.json) return tokenizer.encode_with_spans(part, options);
    return EncodedText{tokenizer.encode(part, options), {}};
  };
  if (!arguments.lines) {
    const EncodedText all = encoded(text);
    program.print(program.json ? report_of(tokenizer, all) : nlohmann::ordered_json(),
                  line_of(all.ids));
    return kDone;
  }
  std::string out;
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const EncodedText line = encoded(std::string_view(text).substr(begin, end - begin));
    out += line_of(line.ids);
    if (program.json) report.push_back(report_of(tokenizer, line));
    begin = end + 1;
  }
  program.print(report, out);
  return kDone;
}

// Numbers, separated by spaces, commas or line ends.
std::vector<TokenId> ids_of(std::string_view text) {
  constexpr std::string_view kBetween = " ,\t\r\n[]";
  std::vector<TokenId> ids;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == text.npos) return ids;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    TokenId id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      throw Failure("--decode: expected the numbers of tokens, found \"" +
                    std::string(word.substr(0, 40)) + "\"");
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

ExitCode decode(const Program& program, const Arguments& arguments, const Tokenizer& tokenizer) {
  const std::string text = tokenizer.decode(ids_of(text_of(*arguments.decode)));
  program.print({{"text", text}}, text);
  return kDone;
}

ExitCode run(const Program& program, const Arguments& arguments) {
  if (!arguments.train.empty()) return train(program, arguments);
  if (arguments.tokenizer.empty()) throw Failure("--tokenizer or --train is required");
  if (arguments.encode.has_value() == arguments.decode.has_value()) {
    throw Failure("either --encode or --decode is required with --tokenizer");
  }
  std::optional<Tokenizer> tokenizer;
  try {
    tokenizer = arguments.merges.empty() ? read_tokenizer(arguments.tokenizer)
                                         : read_tokenizer(arguments.tokenizer, arguments.merges);
  } catch (const Error& error) {
    throw Failure(error.argument() + ": " + error.problem());
  }
  return arguments.encode ? encode(program, arguments, *tokenizer)
                          : decode(program, arguments, *tokenizer);
}

}  // namespace

void add_tokenizer(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "tokenizer", "Text to tokens and back; byte-pair encoding, trained here or read",
      "  tril tokenizer --train a.txt b.txt --vocabulary 4096 -o tokenizer.json\n"
      "  tril tokenizer --tokenizer tokenizer.json --encode \"Hello world\"\n"
      "  tril tokenizer --tokenizer vocab.json --merges merges.txt --encode - < text.txt\n"
      "  tril tokenizer --tokenizer tokenizer.json --decode \"15496 995\"",
      [&program, arguments] { return run(program, *arguments); });
  CLI::Option* const train =
      command.add_option("--train", arguments->train, "Texts to train a tokenizer on")
          ->type_name("FILE");
  command
      .add_option("--kind", arguments->kind,
                  "bpe (default), words, chars (characters of the texts) or bytes")
      ->check(is_name_of(kTokenizerKinds))
      ->option_text("NAME")
      ->needs(train);
  command
      .add_option("--vocabulary", arguments->vocabulary,
                  "The most tokens, including bytes and special ones (default: no limit)")
      ->option_text("N")
      ->needs(train);
  command
      .add_option("--special", arguments->special,
                  "A special token, such as \"<|endoftext|>\"; may be given several times")
      ->expected(1)
      ->take_all()
      ->option_text("TEXT")
      ->needs(train);
  Program::add_file(command, "-o,--output", arguments->output,
                    "Where to write it, as tokenizer.json")
      ->needs(train);
  CLI::Option* const tokenizer = Program::add_file(command, "--tokenizer", arguments->tokenizer,
                                                   "tokenizer.json; vocab.json with --merges")
                                     ->excludes(train);
  Program::add_file(command, "--merges", arguments->merges, "merges.txt")->needs(tokenizer);
  CLI::Option* const encode =
      command.add_option("--encode", arguments->encode, "Text to encode; - for standard input")
          ->option_text("TEXT")
          ->needs(tokenizer);
  command.add_flag("--lines", arguments->lines, "Encode every line by itself")->needs(encode);
  command
      .add_flag("--no-special", arguments->no_special,
                "Encode the texts of special tokens as any other text")
      ->needs(encode);
  command
      .add_flag("--no-template", arguments->no_template,
                "Leave out the tokens that the file puts before and after a text")
      ->needs(encode);
  command.add_option("--decode", arguments->decode, "Ids to decode; - for standard input")
      ->option_text("IDS")
      ->needs(tokenizer)
      ->excludes(encode);
}

}  // namespace tril::cli
