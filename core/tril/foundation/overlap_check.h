// Checks that the tensors of a call do not overlap where one of them is written.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/small_vector.h>

#include <string>
#include <string_view>

namespace tril::detail {

class OverlapCheck {
 public:
  explicit OverlapCheck(const char* call) : call_(call) {}

  // Adds a view, or anything else that has a memory_range; for a mask, the memory that it borrows.
  template <typename View>
  void reads(const View& view) {
    if constexpr (requires { view.memory(); }) {
      for (const MemoryRange& range : view.memory()) ranges_.push_back(range);
    } else if (view) {
      ranges_.push_back(memory_range(view));
    }
  }
  template <typename Weights>
  void reads_all(const Weights& weights) {
    for_each_parameter(weights,
                       [this](const ParameterName&, const auto& view) { this->reads(view); });
  }

  // Throws Error unless `view` is a null view, or has this shape and shares no memory with anything
  // added so far.
  template <int Rank>
  void writes(const TensorView<float, Rank>& view, const Shape<Rank>& shape, const char* name,
              const char* why) {
    if (!view) return;
    check_shape(view, shape, call_, name, why);
    check_overlap(view, name);
    ranges_.push_back(memory_range(view));
  }

  // Throws Error unless the views of a trace, whose shapes are checked elsewhere, share no memory
  // with anything added so far. They may share memory with each other.
  template <typename Trace>
  void writes_trace(const char* name, const Trace& trace) {
    Trace::for_each_member([&](const char*, const auto& view) { this->check_overlap(view, name); },
                           trace);
    reads_trace(trace);
  }
  // Adds the views of a trace.
  template <typename Trace>
  void reads_trace(const Trace& trace) {
    Trace::for_each_member([&](const char*, const auto& view) { this->reads(view); }, trace);
  }

  // Checks and adds gradients: each has the shape of its weight, and its name is "d_" and the
  // weight's name.
  template <typename Gradients, typename Weights>
  void writes_gradients(const Gradients& gradients, const Weights& weights) {
    zip_parameters(
        [this](const ParameterName& name, const auto& gradient, const auto& weight) {
          if (!gradient) return;
          try {
            if (!weight) fail(call_, "", "is the gradient of a weight that is not given");
            this->writes(gradient, weight.shape(), "", "that of the weight");
          } catch (const Error& error) {  // the name is composed only here
            throw Error(call_, "d_" + name.text(), error.problem());
          }
        },
        gradients, weights);
  }

 private:
  template <int Rank>
  void check_overlap(const TensorView<float, Rank>& view, const char* name) const {
    if (!view) return;
    const MemoryRange written = memory_range(view);
    for (const MemoryRange& other : ranges_) {
      if (!written.overlaps(other)) continue;
      fail(call_, name, {"shares memory with an input or another output; shape ", view});
    }
  }

  const char* call_;
  SmallVector<MemoryRange, 64> ranges_;  // enough for a Transformer block
};

}  // namespace tril::detail
