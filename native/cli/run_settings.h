// The files of a run of `tril train`, and what is kept of it with the checkpoint.
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program.h"

namespace tril::cli {

// What is kept of a run beside the model's settings and the trainer's.
struct RunSettings {
  std::filesystem::path folder;
  std::vector<std::string> data;
  std::vector<std::string> validation;  // empty: the last tenth of `data`
  std::string tokenizer = "chars";
  Index every = 250;                    // steps between validations, each with a checkpoint
  Index sample = 100;                   // tokens of a sample; 0: none
  std::vector<std::int64_t> keep = {};  // after which steps the model is kept
  // Of this call alone, and not of the run: numbers in files of the model.
  ElementType type = ElementType::float32;

  // As metadata of a checkpoint, and back, with the bytes of every path.
  Metadata metadata(const std::string& fingerprint) const;
  void read(const Metadata& metadata, const std::string& file);

  // Throws Failure where there is a run in the folder.
  void check_new() const;

  std::filesystem::path checkpoint() const { return folder / "checkpoint.safetensors"; }
  // The one before it, which stays where the last one turns out to be of no use.
  std::filesystem::path checkpoint_before() const {
    return folder / "checkpoint-before.safetensors";
  }
  std::filesystem::path model() const { return folder / "model.safetensors"; }
  std::filesystem::path model(std::int64_t steps) const {
    return folder / ("step-" + std::to_string(steps) + ".safetensors");
  }
  // A folder of its own: beside a model's files an adapter's would hide them (lora_file.h).
  std::filesystem::path adapter() const { return folder / "adapter"; }
  std::filesystem::path config() const { return folder / "config.json"; }
  std::filesystem::path tokenizer_file() const { return folder / "tokenizer.json"; }
  std::filesystem::path log() const { return folder / "log.csv"; }
};

// --dtype, of the numbers in files of weights.
CLI::Option* add_type(CLI::App& command, ElementType& type);

// As write_file, of a file that the message names.
void write_named(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_named(const std::filesystem::path& path,
                 const std::function<void(const WritePiece&)>& produce);
std::vector<std::byte> read_named(const std::filesystem::path& path);

}  // namespace tril::cli
