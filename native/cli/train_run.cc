#include "train_run.h"

#include <tril/files/file.h>
#include <tril/model/sampling.h>
#include <tril/model/tokenizer_file.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <optional>
#include <sstream>

#include "processes.h"
#include "train_log.h"
#include "train_progress.h"

namespace tril::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// The first Ctrl-C asks for an end after the step, the second ends at once.
void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

// What went wrong in all processes alike.
class SharedFailure : public Failure {
  using Failure::Failure;
};

// Processors are shared out among the processes of a machine, unless threads are asked for.
int threads_of(const Program& program, const Processes& processes) {
  if (program.threads > 0) return program.threads;
  return std::max(1, program.thread_count() / processes.on_this_machine());
}

class TrainingRun {
 public:
  TrainingRun(const Program& program, const Processes& processes, TrainPlan plan)
      : plan_(std::move(plan)),
        is_resumed_(!plan_.checkpoint.empty()),
        processes_(processes),
        parallel_(threads_of(program, processes)),
        train_(plan_.tokenizer.encode(plan_.texts.text.train)),
        validation_(plan_.tokenizer.encode(plan_.texts.text.validation)),
        model_(plan_.config, plan_.options.seed),
        trainer_(model_, plan_.options) {
    const auto needed = static_cast<std::size_t>(plan_.config.context) + 1;
    for (const auto* tokens : {&train_, &validation_}) {
      if (tokens->size() >= needed) continue;
      throw Failure(plan_.settings.data.front() + ": too short: " + std::to_string(train_.size()) +
                    " tokens to train on and " + std::to_string(validation_.size()) +
                    " to validate on, and a context of " + std::to_string(plan_.config.context) +
                    " needs " + std::to_string(needed) + " of each");
    }
    trainer_.set_share(
        {processes.number(), processes.count(), [this](auto gradient, auto sums) {
           add_up({gradient.data(), static_cast<std::size_t>(gradient.size(0))}, sums);
         }});
    if (is_resumed_) {
      try {
        restore_checkpoint(parse_safetensors(plan_.checkpoint), trainer_);
      } catch (const Error& error) {
        throw Failure(settings().checkpoint().string() + ": " + error.argument() + ": " +
                      error.problem());
      }
      plan_.checkpoint = {};
    }
    // Nothing is written before this.
    if (processes.is_first()) prepare_folder();
  }

  ExitCode run(const Program& program) {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    const std::int64_t steps = plan_.options.schedule.steps;
    TrainProgress progress(trainer_.steps(), steps);
    std::optional<TrainLog> log;
    if (processes_.is_first()) {
      log.emplace(settings().log(), trainer_.steps());
      describe(progress);
      if (is_resumed_) {
        write_model(settings().model());  // whatever an end between two files has left of it
      } else {
        validate(progress, {});  // and whether all can be written
        keep();
      }
    }
    while (trainer_.steps() < steps && !is_interrupted()) {
      const TrainingStep step = next_step(log ? &*log : nullptr);
      if (!log) continue;
      const std::int64_t done = trainer_.steps();
      progress.step(done, step.loss, step.tokens);
      const bool is_checked = done % settings().every == 0 || done == steps;
      std::optional<double> validation;
      if (is_checked) validation = validate(progress, step.loss, &*log, &step);
      if (!is_checked) log->add(step, {});
      keep();
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (!log) return kDone;  // mpirun ends all as soon as one has another exit code
    log->flush();
    if (trainer_.steps() < steps) {
      write_checkpoint();
      progress.line("stopped after step " + std::to_string(trainer_.steps()) + " of " +
                    std::to_string(steps) + "; to go on: tril train --resume -o " +
                    settings().folder.string());
      return kInterrupted;
    }
    if (!validation_loss_) validate(progress, {});  // nothing was left to do
    report(program, progress);
    return kDone;
  }

 private:
  const RunSettings& settings() const { return plan_.settings; }

  void prepare_folder() {
    std::error_code error;
    std::filesystem::create_directories(settings().folder, error);
    if (error) throw Failure(settings().folder.string() + ": " + error.message());
    const std::string config = model_config_json(plan_.config, settings().type);
    write_named(settings().config(), std::as_bytes(std::span(config)));
    if (is_resumed_) return;
    const std::string tokenizer = tokenizer_json(plan_.tokenizer);
    write_named(settings().tokenizer_file(), std::as_bytes(std::span(tokenizer)));
  }

  // The gradients of all processes; and whether any was interrupted, so that all stop together.
  void add_up(std::span<float> gradient, std::span<double> sums) {
    processes_.add_up(gradient);
    double told[] = {sums[0], static_cast<double>(interrupted)};
    processes_.add_up(told);
    sums[0] = told[0];
    any_interrupted_ = told[1] > 0;
  }
  bool is_interrupted() const {
    return processes_.count() > 1 ? any_interrupted_ : interrupted != 0;
  }

  void describe(TrainProgress& progress) const {
    if (processes_.count() > 1) {
      progress.line(std::to_string(processes_.count()) + " processes, " +
                    std::to_string(parallel_.threads()) + " threads each");
    }
    progress.line(count_text(static_cast<double>(model_.parameter_count())) + " parameters, " +
                  std::to_string(plan_.config.vocabulary) + " tokens in the vocabulary, " +
                  count_text(static_cast<double>(train_.size())) + " to train on, " +
                  count_text(static_cast<double>(validation_.size())) + " to validate on");
    if (trainer_.steps() > 0) {
      progress.line("going on after step " + std::to_string(trainer_.steps()));
    }
  }

  // Where the loss is not finite, what the trainer has kept is the last good state: a checkpoint of
  // it is written, unless the step before has left numbers in it that are not finite.
  TrainingStep next_step(TrainLog* log) {
    try {
      return trainer_.step(train_, parallel_);
    } catch (const Error& error) {
      if (error.argument() != "loss") throw;
      const std::string problem = "the loss " + error.problem() + "; ";
      const std::string file = settings().checkpoint().string();
      if (!is_finite()) {
        throw SharedFailure(problem + file + " is from step " + std::to_string(written_));
      }
      if (log) {
        try {
          log->flush();
          write_checkpoint();
        } catch (const Failure& failure) {
          throw SharedFailure(problem + failure.what());
        }
      }
      throw SharedFailure(problem + file + " has the last good state, from before this step");
    }
  }

  bool is_finite() const {
    const Trainer& trainer = trainer_;
    const VectorView<const float> parts[] = {trainer.model().values(), trainer.first_moment(),
                                             trainer.second_moment()};
    return std::ranges::all_of(parts, [](const VectorView<const float>& each) {
      return std::all_of(each.data(), each.data() + each.count(),
                         [](float x) { return std::isfinite(x); });
    });
  }

  // The loss on what is not trained on, a line about it, and a checkpoint; its value.
  double validate(TrainProgress& progress, std::optional<double> loss, TrainLog* log = nullptr,
                  const TrainingStep* step = nullptr) {
    const ModelLoss measured = trainer_.evaluate(validation_, parallel_);
    if (!std::isfinite(measured.mean())) {
      throw Failure("the validation loss is not finite after step " +
                    std::to_string(trainer_.steps()) + "; " + settings().checkpoint().string() +
                    " is from step " + std::to_string(written_));
    }
    validation_loss_ = measured.mean();
    std::string text = "step " + std::to_string(trainer_.steps()) + ": ";
    if (loss) text += "loss " + loss_text(*loss) + ", ";
    text += "validation loss " + loss_text(*validation_loss_);
    if (loss) text += ", " + progress.rate_and_time_left();
    progress.line(text);
    if (loss && settings().sample > 0) progress.line("  " + sample());
    if (log) {
      log->add(*step, validation_loss_);
      log->flush();
    }
    write_checkpoint();
    return *validation_loss_;
  }

  // How the model goes on from the beginning of what it is validated on; of a masked one, what it
  // makes of hidden tokens is in the loss.
  std::string sample() {
    if (!plan_.config.causal)
      return "(no sample: this model fills in hidden tokens and continues no text)";
    Random random(plan_.options.seed + static_cast<std::uint64_t>(trainer_.steps()));
    const auto prompt = std::span(validation_).first(1);
    return one_line(plan_.tokenizer.decode(generate(model_, prompt, settings().sample,
                                                    {.temperature = 0.8, .top_k = 200}, random,
                                                    scratch_, parallel_)));
  }

  void write_model(const std::filesystem::path& path) const {
    write_named(path,
                [&](const WritePiece& write) { write_model_file(model_, write, settings().type); });
  }

  // The model as it is now, where it was asked for.
  void keep() const {
    if (std::ranges::count(settings().keep, trainer_.steps()) == 0) return;
    write_model(settings().model(trainer_.steps()));
  }

  // The checkpoint first: it has the model too, which --resume writes from it, so that an end
  // between the two files loses nothing.
  void write_checkpoint() {
    write_named(settings().checkpoint(), [&](const WritePiece& write) {
      write_checkpoint_file(trainer_, settings().metadata(plan_.texts.fingerprint), write);
    });
    written_ = trainer_.steps();
    write_model(settings().model());
  }

  void report(const Program& program, const TrainProgress& progress) const {
    const std::string folder = settings().folder.string();
    const double loss = *validation_loss_;
    program.print({{"folder", folder},
                   {"steps", trainer_.steps()},
                   {"validation_loss", loss},
                   {"seconds", progress.seconds()},
                   {"tokens_per_second", progress.units_per_second()},
                   {"parameters", model_.parameter_count()},
                   {"vocabulary", plan_.config.vocabulary}},
                  folder + ": " + std::to_string(trainer_.steps()) + " steps, validation loss " +
                      loss_text(loss) + ", in " + time_text(progress.seconds()) + "\n");
  }

  TrainPlan plan_;
  bool is_resumed_;
  const Processes& processes_;
  bool any_interrupted_ = false;
  Parallel parallel_;
  std::vector<TokenId> train_, validation_;
  LanguageModel model_;
  Trainer trainer_;
  Scratch scratch_;
  std::optional<double> validation_loss_;
  std::int64_t written_ = 0;  // the step of the checkpoint
};

}  // namespace

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

Metadata RunSettings::metadata(const std::string& fingerprint) const {
  const auto list = [](const std::vector<std::string>& paths) {
    return nlohmann::json(paths).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  return {{"data", list(data)},
          {"validation", list(validation)},
          {"data_fingerprint", fingerprint},
          {"tokenizer", tokenizer},
          {"validate_every", std::to_string(every)},
          {"sample", std::to_string(sample)}};
}

void RunSettings::read(const Metadata& metadata, const std::string& file) {
  try {
    const auto list = [&](const std::string& name) {
      return nlohmann::json::parse(metadata.at(name)).get<std::vector<std::string>>();
    };
    data = list("data");
    // Checkpoints of versions that had no such option are without it.
    if (metadata.contains("validation")) validation = list("validation");
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

ExitCode run_training(const Program& program, const std::function<TrainPlan()>& plan) {
  const Processes processes;
  try {
    std::optional<TrainingRun> run;
    processes.all_or_none([&] { run.emplace(program, processes, plan()); });
    try {
      return run->run(program);
    } catch (const SharedFailure&) {
      if (processes.is_first()) throw;
    } catch (const std::exception& error) {
      if (processes.count() == 1) throw;
      processes.abort(error.what());
    }
  } catch (const Silent&) {
  }
  return kDone;  // the process that says what went wrong has the exit code
}

}  // namespace tril::cli
