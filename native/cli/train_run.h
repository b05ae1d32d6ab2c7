// A run of `tril train`: its folder, and the loop.
#pragma once

#include <tril/model/model_file.h>
#include <tril/model/tokenizer.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program.h"
#include "train_data.h"

namespace tril::cli {

// What is kept of a run beside the model's settings and the trainer's.
struct RunSettings {
  std::filesystem::path folder;
  std::vector<std::string> data;
  std::vector<std::string> validation;  // empty: the last tenth of `data`
  std::string tokenizer = "chars";
  Index every = 250;   // steps between validations, each with a checkpoint
  Index sample = 100;  // tokens of a sample; 0: none
  // Of this call alone, and not of the run: numbers in files of the model, and after which steps
  // one is kept.
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> keep = {};

  // As metadata of a checkpoint, and back.
  Metadata metadata(const std::string& fingerprint) const;
  void read(const Metadata& metadata, const std::string& file);

  std::filesystem::path checkpoint() const { return folder / "checkpoint.safetensors"; }
  std::filesystem::path model() const { return folder / "model.safetensors"; }
  std::filesystem::path model(std::int64_t steps) const {
    return folder / ("step-" + std::to_string(steps) + ".safetensors");
  }
  std::filesystem::path config() const { return folder / "config.json"; }
  std::filesystem::path tokenizer_file() const { return folder / "tokenizer.json"; }
  std::filesystem::path log() const { return folder / "log.csv"; }
};

// Everything that a run is made of.
struct TrainPlan {
  RunSettings settings;
  ModelConfig config;
  TrainerOptions options;
  TrainTexts texts;
  Tokenizer tokenizer;
  std::vector<std::byte> checkpoint;  // the file to go on from; empty: a new run
};

// --dtype, of the numbers in files of weights.
CLI::Option* add_type(CLI::App& command, ElementType& type);

// As write_file, of a file that the message names.
void write_named(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_named(const std::filesystem::path& path,
                 const std::function<void(const WritePiece&)>& produce);
std::vector<std::byte> read_named(const std::filesystem::path& path);

// Trains to the end, or until it is interrupted, alone or as one of several processes, each of
// which makes the same plan. Lines about it go to standard error, the report to standard output.
ExitCode run_training(const Program& program, const std::function<TrainPlan()>& plan);

}  // namespace tril::cli
