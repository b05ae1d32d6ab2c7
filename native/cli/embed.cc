// tril embed --model MODEL "sentence" ...: vectors of sentences and their cosine similarities.
#include <tril/model/sentence_encoder.h>

#include <memory>

#include "model_folder.h"
#include "number_text.h"
#include "program.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Arguments {
  ModelFolder model;
  std::vector<std::string> texts;
  std::string output;  // a file; empty: not wanted
};

std::vector<std::vector<float>> rows_of(const MatrixView<const float>& matrix) {
  std::vector<std::vector<float>> rows;
  for (Index n = 0; n < matrix.size(0); ++n) {
    rows.emplace_back(matrix[n].data(), matrix[n].data() + matrix.size(1));
  }
  return rows;
}

// A row for each text: its cosine with each text.
std::string table_of(const MatrixView<const float>& cosines,
                     const std::vector<std::string>& texts) {
  std::string table;
  for (Index n = 0; n < cosines.size(0); ++n) {
    for (Index m = 0; m < cosines.size(1); ++m) {
      table += right_aligned(fixed_text(static_cast<double>(cosines[n][m]), 3), 7);
    }
    table += "  " + texts[static_cast<std::size_t>(n)] + "\n";
  }
  return table;
}

ExitCode embed(const Program& program, const Arguments& arguments) {
  std::vector<std::string> texts;
  for (const std::string& each : arguments.texts) texts.push_back(text_of(each));
  const SentenceEncoder encoder = arguments.model.read_encoder();
  const auto count = static_cast<Index>(texts.size());
  Buffer<float, 2> vectors({count, encoder.width()}), cosines({count, count});
  Scratch scratch;
  Parallel parallel(program.thread_count());
  encode_sentences(encoder, texts, vectors, {scratch, parallel});
  cosine_similarity(vectors, vectors, cosines);
  const std::string_view pooling = name_of(kPoolings, encoder.settings.pooling);
  nlohmann::ordered_json report = {{"texts", texts},
                                   {"width", encoder.width()},
                                   {"pooling", pooling},
                                   {"normalised", encoder.settings.normalised}};
  std::string text = table_of(cosines, texts);
  if (arguments.output.empty()) {
    report["vectors"] = rows_of(vectors);
  } else {
    Progress progress(1);
    const nlohmann::ordered_json saved =
        save_npy(arguments.output, {count, encoder.width()}, vectors.data(), progress);
    report["output"] = saved;
    text += saved_text(saved) + "\n";
  }
  report["similarity"] = rows_of(cosines);
  program.print(report, text);
  return kDone;
}

ExitCode run(const Program& program, const Arguments& arguments) {
  try {
    return embed(program, arguments);
  } catch (const Error& error) {
    const std::string& of = error.argument();
    throw Failure((of == "config" ? arguments.model.path : of) + ": " + error.problem());
  }
}

}  // namespace

void add_embed(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      program.add("embed", "Make vectors of sentences with a sentence encoder",
                  "  tril embed --model all-MiniLM-L6-v2 \"A cat sat.\" \"A dog sat.\"\n"
                  "  tril embed --model bge-small-en \"A cat sat.\" --json\n"
                  "  tril embed --model all-MiniLM-L6-v2.gguf \"A cat sat.\" \"A dog sat.\"\n"
                  "  tril embed --model all-MiniLM-L6-v2 \"One.\" \"Two.\" -o vectors.npy",
                  [&program, arguments] { return run(program, *arguments); });
  arguments->model.add_to(command);
  command.get_option("--model")->description(
      "Folder of a sentence encoder of BERT's family, as Hugging Face has it: config.json, "
      "model.safetensors, tokenizer.json or vocab.txt, and how tokens are pooled; or a .gguf file "
      "of the architecture bert, whose vectors are normalised");
  command
      .add_option("text", arguments->texts,
                  "The sentences; their cosines with each other are shown; - for standard input")
      ->required()
      ->option_text("TEXT...");
  Program::add_file(command, "-o,--output", arguments->output,
                    "Where to write the vectors, [sentences, width], as .npy");
  program.add_threads(command);
}

}  // namespace tril::cli
