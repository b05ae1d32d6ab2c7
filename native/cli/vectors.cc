// tril vectors: trains word vectors on texts; finds neighbours of words, and analogies.
#include <tril/files/file.h>
#include <tril/model/word_vector_text.h>
#include <tril/model/word_vector_trainer.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "number_text.h"
#include "program.h"
#include "train_data.h"
#include "train_progress.h"
#include "train_run.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::vector<std::string> data, analogy;
  std::string output, vectors;
  std::optional<std::string> similar;
  WordOptions words;
  WordVectorOptions options;
  ElementType type = ElementType::float32;
  bool keep_case = false;
  Index count = 10;
};

WordCorpus read_corpus(const Arguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& path : arguments.data) files.push_back(read_text(path, false));
  WordOptions options = arguments.words;
  options.lower_case = !arguments.keep_case;
  try {
    return read_words(std::vector<std::string_view>(files.begin(), files.end()), options);
  } catch (const Error& error) {
    throw Failure(arguments.data.front() + ": " + error.argument() + ": " + error.problem());
  }
}

ExitCode train(const Program& program, const Arguments& arguments) {
  if (arguments.output.empty()) throw Failure("--output is required with --data");
  const std::filesystem::path folder = std::filesystem::absolute(arguments.output).parent_path();
  if (!std::filesystem::is_directory(folder)) {  // reported before hours of work, not after
    throw Failure(arguments.output + ": there is no folder " + folder.string());
  }
  WordVectorTrainer trainer(read_corpus(arguments), arguments.options);
  const WordCorpus& corpus = trainer.corpus();
  const TokenId words = corpus.vocabulary.size();
  Parallel parallel(program.thread_count());
  TrainProgress progress(0, trainer.all_steps(), "words");
  progress.line(std::to_string(words) + " words that occur " +
                count_text(static_cast<double>(corpus.count)) + " times in all");
  double loss = 0;
  for (Index epoch = 1; epoch <= arguments.options.epochs; ++epoch) {
    double sum = 0;
    std::int64_t pairs = 0;
    while (trainer.steps() < epoch * trainer.epoch_steps()) {
      const WordVectorStep step = trainer.step(parallel);
      sum += step.loss * static_cast<double>(step.pairs);
      pairs += step.pairs;
      progress.step(trainer.steps(), step.loss, step.words);
    }
    loss = pairs > 0 ? sum / static_cast<double>(pairs) : 0;
    progress.line("epoch " + std::to_string(epoch) + " of " +
                  std::to_string(arguments.options.epochs) + ": loss " + loss_text(loss) + ", " +
                  progress.rate_and_time_left());
  }
  const double seconds = progress.seconds(), rate = progress.units_per_second();
  write_named(arguments.output, word_vectors_file(trainer.vectors(), arguments.type));
  program.print({{"file", arguments.output},
                 {"words", words},
                 {"width", arguments.options.width},
                 {"words_of_text", corpus.count},
                 {"epochs", arguments.options.epochs},
                 {"loss", loss},
                 {"seconds", seconds},
                 {"words_per_second", rate}},
                arguments.output + ": " + std::to_string(words) + " words, " +
                    std::to_string(arguments.options.width) + " wide, loss " + loss_text(loss) +
                    ", in " + time_text(seconds) + "\n");
  return kDone;
}

// Reads a file of ours, or one in the published formats.
StoredWordVectors load_vectors(const std::string& path) {
  const std::vector<std::byte> bytes = read_named(path);
  // The header of a .safetensors file follows its length.
  if (bytes.size() > 8 && bytes[8] == std::byte{'{'}) {
    return read_word_vectors(parse_safetensors(bytes));
  }
  PublishedWordVectors published = read_published_word_vectors(bytes);
  const auto note = [&](Index count, const char* what) {
    if (count == 0) return;
    std::cerr << path << ": " << count << (count == 1 ? " row has " : " rows have ") << what
              << '\n';
  };
  note(published.repeated, "a word that was there before; its first vector counts");
  note(published.nameless, "no word");
  return std::move(published.vectors);
}

ExitCode ask(const Program& program, const Arguments& arguments) {
  if (arguments.similar.has_value() != arguments.analogy.empty()) {
    throw Failure("either --similar or --analogy is required with --vectors");
  }
  try {
    const StoredWordVectors stored = load_vectors(arguments.vectors);
    const WordVectors vectors = stored.view();
    const std::vector<std::string>& three = arguments.analogy;
    const std::vector<WordNeighbour> found =
        arguments.similar ? similar_words(vectors, *arguments.similar, arguments.count)
                          : analogous_words(vectors, three[0], three[1], three[2], arguments.count);
    std::string text;
    nlohmann::ordered_json report = nlohmann::ordered_json::array();
    for (const WordNeighbour& each : found) {
      const std::string& word = vectors.words.words()[static_cast<std::size_t>(each.word)];
      report.push_back({{"word", word}, {"cosine", each.cosine}});
      const std::string quoted = one_line(word);
      text += right_aligned(fixed_text(each.cosine, 4), 7) + "  " +
              quoted.substr(1, quoted.size() - 2) + '\n';
    }
    program.print(report, text);
    return kDone;
  } catch (const Error& error) {
    const std::string& of = error.argument();
    if (of == "word" || of == "a" || of == "b" || of == "c") {
      throw Failure((arguments.similar ? "--similar: " : "--analogy: ") + error.problem() + " of " +
                    arguments.vectors);
    }
    throw Failure(arguments.vectors + ": " + of + ": " + error.problem());
  }
}

void add_training_options(CLI::App& command, Arguments& arguments, CLI::Option* data) {
  WordVectorOptions& options = arguments.options;
  const auto add = [&](const char* name, auto& value, const char* description) {
    command.add_option(name, value, description)->needs(data);
  };
  add("--width", options.width, "Numbers in each vector (default 100)");
  add("--window", options.window, "The most words on either side of a word (default 5)");
  add("--negative", options.negative, "Random words beside each true neighbour (default 5)");
  add("--epochs", options.epochs, "How often the texts are read (default 5)");
  add("--min-count", arguments.words.min_count,
      "Words that occur less often are left out (default 5)");
  add("--sample", options.sample,
      "Words more frequent than this share are thinned out (default 0.001; 0: none)");
  add("--learning-rate", options.learning_rate,
      "The rate at the start; it falls evenly to zero (default 0.025)");
  add("--seed", options.seed, "Seed of all draws (default 1)");
  add_type(command, arguments.type)->needs(data);
  command
      .add_flag("--keep-case", arguments.keep_case, "Keep capitals: Bank and bank are two words")
      ->needs(data);
}

}  // namespace

void add_vectors(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "vectors", "Vectors of words, learned from texts; similar words and analogies",
      "  tril vectors --data *.txt -o vectors.safetensors\n"
      "  tril vectors --data *.txt --width 200 --window 8 --epochs 10 -o vectors.safetensors\n"
      "  tril vectors --vectors vectors.safetensors --similar bank\n"
      "  tril vectors --vectors vectors.safetensors --analogy man king woman\n"
      "  tril vectors --vectors glove.6B.100d.txt --similar bank",
      [&program, arguments] {
        if (!arguments->data.empty()) return train(program, *arguments);
        if (arguments->vectors.empty()) throw Failure("--data or --vectors is required");
        return ask(program, *arguments);
      });
  CLI::Option* const data =
      command.add_option("--data", arguments->data, "Texts to learn from")->type_name("FILE");
  Program::add_file(command, "-o,--output", arguments->output,
                    "Where to write the vectors, as .safetensors with the words in it")
      ->needs(data);
  add_training_options(command, *arguments, data);
  program.add_threads(command);
  CLI::Option* const vectors =
      Program::add_file(
          command, "--vectors", arguments->vectors,
          "Vectors to ask: .safetensors, or GloVe's, word2vec's or fastText's, as text or .bin")
          ->excludes(data);
  CLI::Option* const similar =
      command.add_option("--similar", arguments->similar, "The words nearest to this one")
          ->option_text("WORD")
          ->needs(vectors);
  command.add_option("--analogy", arguments->analogy, "The words that are to C as B is to A")
      ->expected(3)
      ->option_text("A B C")
      ->needs(vectors)
      ->excludes(similar);
  command.add_option("--count", arguments->count, "How many words (default 10)")->needs(vectors);
}

}  // namespace tril::cli
