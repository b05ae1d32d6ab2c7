#include "run_settings.h"

#include <tril/files/utf8.h>
#include <tril/foundation/error.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

namespace tril::cli {

CLI::Option* add_type(CLI::App& command, ElementType& type) {
  const std::map<std::string, ElementType> types = {{"float32", ElementType::float32},
                                                    {"float16", ElementType::float16},
                                                    {"bfloat16", ElementType::bfloat16}};
  return command
      .add_option("--dtype", type,
                  "Type of the weights in the file: float32 (default), float16 or bfloat16")
      ->transform(CLI::CheckedTransformer(types))
      ->option_text("TYPE");
}

void write_named(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  write_named(path, [bytes](const WritePiece& write) { write(bytes); });
}

void write_named(const std::filesystem::path& path,
                 const std::function<void(const WritePiece&)>& produce) {
  try {
    write_file(path, produce);
  } catch (const Error& error) {
    throw Failure(path.string() + ": " + error.problem());
  }
}

std::vector<std::byte> read_named(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw Failure(path.string() + ": " + error.problem());
  }
}

namespace {

// Paths as JSON. A path that is not UTF-8, as POSIX allows, becomes a list of its bytes.
std::string path_list(const std::vector<std::string>& paths) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& path : paths) {
    if (detail::is_utf8(path)) {
      list.push_back(path);
    } else {
      list.push_back(std::vector<unsigned char>(path.begin(), path.end()));
    }
  }
  return list.dump(-1, ' ', true);
}

std::vector<std::string> paths_of(const std::string& text) {
  std::vector<std::string> paths;
  for (const nlohmann::json& each : nlohmann::json::parse(text)) {
    if (each.is_string()) {
      paths.push_back(each.get<std::string>());
    } else {
      const auto bytes = each.get<std::vector<unsigned char>>();
      paths.emplace_back(bytes.begin(), bytes.end());
    }
  }
  return paths;
}

}  // namespace

Metadata RunSettings::metadata(const std::string& fingerprint) const {
  return {{"data", path_list(data)},
          {"validation", path_list(validation)},
          {"data_fingerprint", fingerprint},
          {"tokenizer", tokenizer},
          {"validate_every", std::to_string(every)},
          {"sample", std::to_string(sample)},
          {"keep", nlohmann::json(keep).dump()}};
}

void RunSettings::check_new() const {
  if (!std::filesystem::exists(checkpoint())) return;
  throw Failure(checkpoint().string() +
                ": there is a run in this folder; --resume goes on with it");
}

void RunSettings::read(const Metadata& metadata, const std::string& file) {
  try {
    data = paths_of(metadata.at("data"));
    // Checkpoints of versions without this option lack it.
    if (metadata.contains("validation")) validation = paths_of(metadata.at("validation"));
    if (metadata.contains("keep")) {
      keep = nlohmann::json::parse(metadata.at("keep")).get<std::vector<std::int64_t>>();
    }
    tokenizer = metadata.at("tokenizer");
    const auto whole = [&](const char* name) {
      const std::string& text = metadata.at(name);
      Index number = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size()) throw Failure(name);
      return number;
    };
    every = std::max<Index>(1, whole("validate_every"));
    sample = whole("sample");
  } catch (const std::exception&) {
    throw Failure(file + ": is not a checkpoint of `tril train`");
  }
}

}  // namespace tril::cli
