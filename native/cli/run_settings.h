// The files of a run of `tril train`, and the settings that are saved with its checkpoint.
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

// The settings of a run besides those of the model and the trainer.
struct RunSettings {
  std::filesystem::path folder;
  std::vector<std::string> data;
  std::vector<std::string> validation;  // empty: the last tenth of `data`
  std::string tokenizer = "chars";
  Index every = 250;                    // steps between validations, each with a checkpoint
  Index sample = 100;                   // tokens of a sample; 0: none
  std::vector<std::int64_t> keep = {};  // steps after which the model is kept
  // The type of the numbers in files of weights; a setting of this call and not of the run.
  ElementType type = ElementType::float32;

  // Writes the settings as metadata of a checkpoint, and reads them, with the bytes of every path.
  Metadata metadata(const std::string& fingerprint) const;
  void read(const Metadata& metadata, const std::string& file);

  // Throws Failure where the folder has a run already.
  void check_new() const;

  std::filesystem::path checkpoint() const { return folder / "checkpoint.safetensors"; }
  // The checkpoint before the last one. It is kept in case the last one is of no use.
  std::filesystem::path checkpoint_before() const {
    return folder / "checkpoint-before.safetensors";
  }
  std::filesystem::path model() const { return folder / "model.safetensors"; }
  std::filesystem::path model(std::int64_t steps) const {
    return folder / ("step-" + std::to_string(steps) + ".safetensors");
  }
  // A folder of its own: beside a model's files, an adapter's would hide them (lora_file.h).
  std::filesystem::path adapter() const { return folder / "adapter"; }
  std::filesystem::path config() const { return folder / "config.json"; }
  std::filesystem::path tokenizer_file() const { return folder / "tokenizer.json"; }
  std::filesystem::path log() const { return folder / "log.csv"; }
};

// Adds --dtype, the type of the numbers in files of weights.
CLI::Option* add_type(CLI::App& command, ElementType& type);

// Like write_file; the message names the file.
void write_named(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_named(const std::filesystem::path& path,
                 const std::function<void(const WritePiece&)>& produce);
std::vector<std::byte> read_named(const std::filesystem::path& path);

}  // namespace tril::cli
