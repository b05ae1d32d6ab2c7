// tril info FILE: the contents of a file.
#include <tril/foundation/error.h>
#include <tril/foundation/statistics.h>

#include <cmath>
#include <memory>

#include "number_text.h"
#include "program.h"
#include "progress.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Summary {
  Index nan = 0, infinite = 0, zero = 0;
  bool any_finite = false;
  Statistics finite;
};

Summary summarise(const Tensor<double>& tensor) {
  Summary summary;
  std::vector<double> finite;
  const Index count = tensor.elements.shape()[0];
  finite.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const double value = tensor.elements.data()[i];
    summary.nan += std::isnan(value);
    summary.infinite += std::isinf(value);
    summary.zero += value == 0;
    if (std::isfinite(value)) finite.push_back(value);
  }
  summary.any_finite = !finite.empty();
  if (summary.any_finite) {
    summary.finite = statistics({finite.data(), {static_cast<Index>(finite.size())}});
  }
  return summary;
}

std::string text_of(const std::string& name, const Tensor<double>& tensor, const Summary& summary) {
  std::string text =
      detail::on_one_line(name) + ": " + element_name(tensor.type) + " " + tensor.shape_text();
  if (summary.any_finite) {
    const auto number = [](double value) { return general_text(value, 4); };
    text += ", " + number(summary.finite.smallest) + " to " + number(summary.finite.largest) +
            ", mean " + number(summary.finite.mean) + ", deviation " +
            number(std::sqrt(summary.finite.variance));
  }
  for (const auto& [count, what] :
       {std::pair(summary.zero, "zero"), {summary.nan, "NaN"}, {summary.infinite, "infinite"}}) {
    if (count > 0) text += ", " + std::to_string(count) + " " + what;
  }
  return text + "\n";
}

nlohmann::ordered_json report_of(const Tensor<double>& tensor, const Summary& summary) {
  nlohmann::ordered_json report = {{"type", element_name(tensor.type)},
                                   {"shape", tensor.shape},
                                   {"elements", tensor.elements.shape()[0]},
                                   {"zero", summary.zero},
                                   {"nan", summary.nan},
                                   {"infinite", summary.infinite}};
  if (summary.any_finite) {
    report["smallest"] = summary.finite.smallest;
    report["largest"] = summary.finite.largest;
    report["mean"] = summary.finite.mean;
    report["deviation"] = std::sqrt(summary.finite.variance);
  }
  return report;
}

ExitCode run(const Program& program, const std::string& path) {
  TensorFile<double> file;
  {
    Progress progress(1);
    file = load_file<double>(path, progress);
  }
  std::string text;
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const auto& [name, tensor] : file.tensors) {
    const Summary summary = summarise(tensor);
    text += text_of(file.is_npy() ? path : name, tensor, summary);
    nlohmann::ordered_json report = report_of(tensor, summary);
    if (!file.is_npy()) report["name"] = name;
    tensors.push_back(report);
  }
  nlohmann::ordered_json unread = nlohmann::ordered_json::array();
  for (const auto& [name, problem] : file.unread) {
    text += detail::on_one_line(name) + ": not read: " + problem + '\n';
    unread.push_back({{"name", name}, {"problem", problem}});
  }
  constexpr const char* kFormats[] = {"npy", "npz", "safetensors"};  // in the order of FileFormat
  nlohmann::ordered_json report = {{"file", path},
                                   {"format", kFormats[static_cast<std::size_t>(file.format)]}};
  if (!file.is_npy()) {
    if (file.format == FileFormat::safetensors) report["metadata"] = file.metadata;
    for (const auto& [key, value] : file.metadata) {
      // Quoted, so that any name stays on its line.
      text += nlohmann::json(key).dump() + " = " + nlohmann::json(value).dump() + "\n";
    }
    if (file.tensors.empty() && unread.empty()) text += "no tensors\n";
  }
  report["tensors"] = tensors;
  if (!unread.empty()) report["unread"] = unread;
  program.print(report, text);
  return kDone;
}

}  // namespace

void add_info(Program& program) {
  const auto path = std::make_shared<std::string>();
  CLI::App& command = program.add("info", "What a file holds: types, shapes, statistics",
                                  "  tril info q.npy\n"
                                  "  tril info arrays.npz\n"
                                  "  tril info model.safetensors --json",
                                  [&program, path] { return run(program, *path); });
  Program::add_file(command, "file", *path, ".npy, .npz or .safetensors")->required();
}

}  // namespace tril::cli
