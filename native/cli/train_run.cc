#include "train_run.h"

#include <tril/files/file.h>
#include <tril/model/lora_file.h>
#include <tril/model/sampling.h>
#include <tril/text/tokenizer_file.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "interrupts.h"
#include "processes.h"
#include "run_lock.h"
#include "run_sanity.h"
#include "train_log.h"
#include "train_progress.h"

namespace tril::cli {
namespace {

// A failure that all processes share.
class SharedFailure : public Failure {
  using Failure::Failure;
};

// The number of threads: as asked for, else a share of the machine's processors for each process on
// it.
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
        model_(plan_.from ? LanguageModel(*plan_.from, plan_.config.context, plan_.config.dropout)
                          : LanguageModel(plan_.config, plan_.options.seed)),
        adapter_(plan_.lora ? std::optional<LoraAdapter>(std::in_place, model_, *plan_.lora,
                                                         plan_.options.seed)
                            : std::nullopt),
        trainer_(adapter_ ? Trainer(*adapter_, plan_.options) : Trainer(model_, plan_.options)),
        sanity_(plan_.config.vocabulary) {
    plan_.from.reset();
    const auto needed = static_cast<std::size_t>(plan_.config.context) + 1;
    for (const auto* tokens : {&train_, &validation_}) {
      if (tokens->size() >= needed) continue;
      throw Failure(plan_.settings.data.front() + ": too short: " + std::to_string(train_.size()) +
                    " tokens to train on and " + std::to_string(validation_.size()) +
                    " to validate on, and a context of " + std::to_string(plan_.config.context) +
                    " needs " + std::to_string(needed) + " of each");
    }
    trainer_.set_share(
        {processes.number(), processes.count(),
         [this](auto gradient, auto sums) {
           add_up({gradient.data(), static_cast<std::size_t>(gradient.size(0))}, sums);
         },
         [this](std::span<std::byte> bytes) { processes_.from_first(bytes); }});
    if (is_resumed_) {
      try {
        restore_checkpoint(parse_safetensors(plan_.checkpoint), trainer_);
      } catch (const Error& error) {
        throw Failure(settings().checkpoint().string() + ": " + error.argument() + ": " +
                      error.problem());
      }
      plan_.checkpoint = {};
      written_ = trainer_.steps();
    }
  }

  // Writes the first files of the run.
  void prepare_folder() {
    if (!is_resumed_) settings().check_new();
    const std::string config = model_config_json(plan_.config, settings().type, plan_.tokens);
    write_named(settings().config(), std::as_bytes(std::span(config)));
    if (adapter_) write_adapter_config();
    if (is_resumed_) return;
    const std::string tokenizer = tokenizer_json(plan_.tokenizer);
    write_named(settings().tokenizer_file(), std::as_bytes(std::span(tokenizer)));
    std::error_code none;  // an earlier run's
    std::filesystem::remove(settings().checkpoint_before(), none);
  }

  ExitCode run(const Program& program) {
    const Interrupts interrupts;
    processes_.from_first(values());  // rounded as in the first process
    const std::int64_t steps = plan_.options.schedule.steps;
    TrainProgress progress(trainer_.steps(), steps);
    std::optional<TrainLog> log;
    if (processes_.is_first()) {
      log.emplace(settings().log(), trainer_.steps());
      describe(progress);
      if (is_resumed_) {
        is_sane();                        // the first state is sane by definition
        write_model(settings().model());  // a run may have ended between two files
        if (adapter_) write_adapter();
        keep();
      } else {
        keep();
        validate(progress, {});  // also tests that all files can be written
      }
    }
    while (trainer_.steps() < steps && !is_interrupted()) {
      const TrainingStep step = next_step(log ? &*log : nullptr);
      const std::int64_t done = trainer_.steps();
      const bool is_checked = done % settings().every == 0 || done == steps;
      if (is_checked) check_alike();
      if (!log) continue;
      progress.step(done, step.loss, step.tokens);
      keep();  // before the checkpoint, after which a resumed run would not write it
      if (is_checked) validate(progress, step.loss, &*log, &step);
      if (!is_checked) log->add(step, {});
    }
    if (!log) return kDone;  // mpirun ends all as soon as one has another exit code
    log->flush();
    if (trainer_.steps() < steps) {
      write_checkpoint(progress);
      progress.line("stopped after step " + std::to_string(trainer_.steps()) + " of " +
                    std::to_string(steps) + "; to go on: tril train --resume -o " +
                    settings().folder.string());
      return kInterrupted;
    }
    if (!validation_loss_) validate(progress, {});  // nothing was left to do
    if (written_ != trainer_.steps()) {
      throw SharedFailure("training has diverged: " + settings().folder.string() +
                          " has the model of step " + std::to_string(written_));
    }
    report(program, progress);
    return kDone;
  }

 private:
  const RunSettings& settings() const { return plan_.settings; }

  // Adds up the gradients of all processes, and whether any was interrupted, so that all stop
  // together.
  void add_up(std::span<float> gradient, std::span<double> sums) {
    processes_.add_up(gradient);
    double sent[] = {sums[0], Interrupts::any() ? 1.0 : 0.0};
    processes_.add_up(sent);
    sums[0] = sent[0];
    any_interrupted_ = sent[1] > 0;
  }
  bool is_interrupted() const {
    return processes_.count() > 1 ? any_interrupted_ : Interrupts::any();
  }

  void describe(TrainProgress& progress) const {
    if (processes_.count() > 1) {
      progress.line(std::to_string(processes_.count()) + " processes, " +
                    std::to_string(parallel_.threads()) + " threads each");
    }
    progress.line(count_text(static_cast<double>(model_.parameter_count())) + " parameters, " +
                  std::to_string(plan_.config.vocabulary) + " tokens in the vocabulary" +
                  plan_.vocabulary_note + ", " + count_text(static_cast<double>(train_.size())) +
                  " to train on, " + count_text(static_cast<double>(validation_.size())) +
                  " to validate on");
    if (adapter_) {
      const LoraOptions& lora = adapter_->options();
      std::string targets;
      for (const std::string& each : lora.targets) targets += " " + each;
      progress.line("LoRA of rank " + std::to_string(lora.rank) + ", alpha " +
                    number_text(lora.alpha) + ", on" + targets + ": " +
                    count_text(static_cast<double>(adapter_->parameter_count())) +
                    " parameters are trained");
    }
    if (trainer_.steps() > 0) {
      progress.line("going on after step " + std::to_string(trainer_.steps()));
    }
  }

  // A loss that is not finite is that of the state before this step, which is of no use: the
  // checkpoint stays as it is.
  TrainingStep next_step(TrainLog* log) {
    try {
      return trainer_.step(train_, parallel_);
    } catch (const Error& error) {
      if (error.argument() != "loss") throw;
      std::string problem = "the loss " + error.problem() + "; " +
                            settings().checkpoint().string() + " is from step " +
                            std::to_string(written_);
      try {
        if (log) log->flush();
      } catch (const Failure& failure) {
        problem += std::string("; ") + failure.what();
      }
      throw SharedFailure(problem);
    }
  }

  std::span<std::byte> values() {
    const VectorView<float> all = trainer_.values();
    return std::as_writable_bytes(std::span(all.data(), static_cast<std::size_t>(all.size(0))));
  }

  // Checks that every process has the parameters of the first, before they are kept.
  void check_alike() {
    if (processes_.count() == 1) return;
    std::string own = fingerprint(values());
    own.resize(64);  // of equal length in every process
    std::string first = own;
    processes_.from_first(std::as_writable_bytes(std::span(first)));
    if (first == own) return;
    throw Failure("has other parameters after step " + std::to_string(trainer_.steps()) +
                  " than the first process");
  }

  // Whether the state is worth keeping (run_sanity.h). Moments must be finite as well.
  bool is_sane() {
    const Index windows = static_cast<Index>(train_.size()) / plan_.config.context;
    const Index most = 4 * plan_.options.batch;  // bounds the time this takes
    const ModelLoss loss =
        trainer_.evaluate(train_, std::clamp<Index>(windows, 1, most), parallel_);
    const VectorView<const float> parts[] = {model_.values(), trainer_.first_moment(),
                                             trainer_.second_moment()};
    return sanity_.is_sane(loss.mean()) &&
           std::ranges::all_of(parts, [](const VectorView<const float>& each) {
             return std::all_of(each.data(), each.data() + each.count(),
                                [](float x) { return std::isfinite(x); });
           });
  }

  // Measures the loss on the validation data, prints a line about it, and writes a checkpoint.
  void validate(TrainProgress& progress, std::optional<double> loss, TrainLog* log = nullptr,
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
    write_checkpoint(progress);
  }

  // A continuation of the beginning of the validation data. A masked model has none: its loss
  // already measures how it fills in hidden tokens.
  std::string sample() {
    if (!plan_.config.causal)
      return "(no sample: this model fills in hidden tokens and continues no text)";
    Random random(plan_.options.seed + static_cast<std::uint64_t>(trainer_.steps()));
    const auto prompt = std::span(validation_).first(1);
    return one_line(plan_.tokenizer.decode(
        generate(model_, prompt, settings().sample, {}, random, {scratch_, parallel_})));
  }

  void write_model(const std::filesystem::path& path) const {
    write_named(path,
                [&](const WritePiece& write) { write_model_file(model_, write, settings().type); });
  }

  void write_adapter_config() const {
    std::error_code error;
    std::filesystem::create_directories(settings().adapter(), error);
    if (error) throw Failure(settings().adapter().string() + ": " + error.message());
    const std::string config = lora_config_json(*adapter_);
    write_named(settings().adapter() / "adapter_config.json", std::as_bytes(std::span(config)));
  }

  void write_adapter() const {
    write_named(settings().adapter() / "adapter_model.safetensors",
                [&](const WritePiece& write) { write_lora_file(*adapter_, write); });
  }

  // Writes the model of this step, where the settings ask for it.
  void keep() const {
    if (std::ranges::count(settings().keep, trainer_.steps()) == 0) return;
    write_model(settings().model(trainer_.steps()));
  }

  // Writes the checkpoint first: it contains the model, which --resume writes from it, so that
  // nothing is lost if the process ends between the two files. A state that is not sane is not
  // written: resuming from the last sane one is equivalent.
  void write_checkpoint(TrainProgress& progress) {
    if (!is_sane()) {
      progress.line("  not kept: the loss on the texts is " + sanity_.reason() + "; " +
                    settings().checkpoint().string() + " stays that of step " +
                    std::to_string(written_));
      return;
    }
    const std::filesystem::path before = hold_checkpoint();
    write_named(settings().checkpoint(), [&](const WritePiece& write) {
      write_checkpoint_file(trainer_, settings().metadata(plan_.texts.fingerprint), write);
    });
    if (!before.empty()) std::filesystem::rename(before, settings().checkpoint_before());
    written_ = trainer_.steps();
    write_model(settings().model());
    if (adapter_) write_adapter();
  }

  // A second name for the checkpoint of an earlier step, under which it survives the next one.
  std::filesystem::path hold_checkpoint() const {
    namespace fs = std::filesystem;
    const fs::path file = settings().checkpoint();
    if (written_ == trainer_.steps() || !fs::is_regular_file(file)) return {};
    fs::path held = settings().checkpoint_before();
    held += ".next";
    std::error_code failed;
    fs::remove(held, failed);
    fs::create_hard_link(fs::canonical(file), held, failed);
    if (failed) write_named(held, read_named(file));  // a file system without second names
    return held;
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
                   {"trained", adapter_ ? adapter_->parameter_count() : model_.parameter_count()},
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
  std::optional<LoraAdapter> adapter_;
  Trainer trainer_;
  Scratch scratch_;
  std::optional<double> validation_loss_;
  RunSanity sanity_;
  std::int64_t written_ = 0;  // the step of the checkpoint
};

}  // namespace

ExitCode run_training(const Program& program, const std::filesystem::path& folder,
                      const std::function<TrainPlan()>& plan) {
  const Processes processes;
  std::optional<RunLock> lock;
  try {
    std::optional<TrainingRun> run;
    processes.all_or_none([&] {
      if (processes.is_first() && std::filesystem::is_directory(folder)) lock.emplace(folder);
      run.emplace(program, processes, plan());
      if (!processes.is_first()) return;
      if (!lock) {
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) throw Failure(folder.string() + ": " + error.message());
        lock.emplace(folder);
      }
      run->prepare_folder();
    });
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
  return kDone;  // the process that reports the error has the exit code
}

}  // namespace tril::cli
