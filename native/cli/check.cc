// tril check EXPECTED ACTUAL: the differences between two files.
#include <tril/foundation/compare.h>
#include <tril/foundation/error.h>
#include <tril/foundation/message.h>

#include <cmath>
#include <memory>

#include "number_text.h"
#include "program.h"
#include "progress.h"
#include "tensor_file.h"

namespace tril::cli {
namespace {

struct Arguments {
  std::string expected, actual;
  Tolerance tolerance{1e-5, 1.3e-6};  // torch.testing.assert_close for float32
};

std::vector<Index> index_of(Index element, const std::vector<Index>& shape) {
  std::vector<Index> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

// The comparison of one tensor: as text, as JSON, and whether it passes.
struct Finding {
  std::string text;
  nlohmann::ordered_json report;
  bool passes;
};

Finding failing(const std::string& reason) { return {reason + "\n", {{"problem", reason}}, false}; }

Finding compare_tensors(const Tensor<double>& expected, const Tensor<double>& actual,
                        const Tolerance& tolerance) {
  if (expected.shape != actual.shape) {
    return failing("shape " + actual.shape_text() + ", expected " + expected.shape_text());
  }
  if (expected.elements.shape()[0] == 0) {
    return {"no elements " + expected.shape_text() + "\n",
            {{"shape", expected.shape}, {"elements", 0}, {"beyond", 0}},
            true};
  }
  const Difference difference = compare(expected.elements, actual.elements, tolerance);
  const std::vector<Index> worst = index_of(difference.worst, expected.shape);
  const double wanted = expected.elements.data()[difference.worst],
               got = actual.elements.data()[difference.worst];
  Index nan = 0;  // in both, which is no difference
  for (Index n = 0; n < difference.count; ++n) {
    nan += std::isnan(expected.elements.data()[n]) && std::isnan(actual.elements.data()[n]);
  }
  const auto size = [](double value) { return general_text(value, 3); };
  std::string text = std::to_string(difference.count) + " elements " + expected.shape_text() +
                     "\n  norm of the difference  " + size(difference.frobenius) +
                     ", over that of EXPECTED " + size(difference.relative) +
                     "\n  largest difference      " + size(difference.max_absolute) +
                     ", relative " + size(difference.max_relative) + "\n";
  if (difference.max_absolute > 0) {
    text += "  worst element           " + shape_text(worst.data(), expected.rank()) +
            ": expected " + general_text(wanted, 9) + ", actual " + general_text(got, 9) + "\n";
  }
  if (nan > 0) {
    text += "  NaN in both             " + std::to_string(nan) + ", which count as the same\n";
  }
  text += "  beyond the tolerance    " + std::to_string(difference.beyond) + "\n";
  nlohmann::ordered_json report = {
      {"shape", expected.shape},
      {"elements", difference.count},
      {"frobenius", difference.frobenius},
      {"relative_frobenius", difference.relative},
      {"max_absolute", difference.max_absolute},
      {"max_relative", difference.max_relative},
      {"worst", {{"index", worst}, {"expected", wanted}, {"actual", got}}},
      {"beyond", difference.beyond}};
  if (nan > 0) report["nan_in_both"] = nan;
  return {text, report, difference.beyond == 0};
}

ExitCode run(const Program& program, const Arguments& arguments) {
  TensorFile<double> expected, actual;
  {
    Progress progress(2);
    expected = load_file<double>(arguments.expected, progress);
    actual = load_file<double>(arguments.actual, progress);
  }
  if (expected.is_npy() != actual.is_npy()) {
    throw Failure(arguments.actual + ": is not of the same kind as " + arguments.expected);
  }
  std::string text;
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  bool passes = true;
  const auto add = [&](const std::string& name, Finding finding) {
    text += (name.empty() ? "" : detail::on_one_line(name) + ": ") + finding.text;
    if (!expected.is_npy()) finding.report["name"] = name;
    finding.report["passes"] = finding.passes;
    tensors.push_back(finding.report);
    passes = passes && finding.passes;
  };
  for (const auto& [name, tensor] : expected.tensors) {
    const Tensor<double>* const other = actual.find(name);
    add(name, other ? compare_tensors(tensor, *other, arguments.tolerance)
                    : failing("missing in " + arguments.actual));
  }
  for (const auto& [name, tensor] : actual.tensors) {
    if (!expected.find(name)) add(name, failing("missing in " + arguments.expected));
  }
  for (const TensorFile<double>* file : {&expected, &actual}) {
    const std::string& path = file == &expected ? arguments.expected : arguments.actual;
    for (const auto& [name, problem] : file->unread) {
      add(name, failing("not read in " + path + ": " + problem));
    }
  }
  const std::string summary = std::string(passes ? "the same" : "different") + " within " +
                              number_text(arguments.tolerance.absolute) + " + " +
                              number_text(arguments.tolerance.relative) + " * |expected|\n";
  program.print({{"passes", passes},
                 {"atol", arguments.tolerance.absolute},
                 {"rtol", arguments.tolerance.relative},
                 {"tensors", tensors}},
                text + summary);
  return passes ? kDone : kDifferent;
}

}  // namespace

void add_check(Program& program) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = program.add(
      "check", "How far two files are apart; exit code 1 when beyond the tolerance",
      "  tril check expected.npy actual.npy\n"
      "  tril check expected.safetensors actual.safetensors --atol 0 --rtol 1e-3 --json",
      [&program, arguments] { return run(program, *arguments); });
  Program::add_file(command, "expected", arguments->expected, ".npy, .npz or .safetensors")
      ->required();
  Program::add_file(command, "actual", arguments->actual,
                    "The same kind; tensors are paired by name")
      ->required();
  command.add_option("--atol", arguments->tolerance.absolute,
                     "An element passes within atol + rtol * |expected| (default: 1e-5)");
  command.add_option("--rtol", arguments->tolerance.relative, "(default: 1.3e-6)");
}

}  // namespace tril::cli
