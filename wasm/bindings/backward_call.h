// The saved results of a forward pass, in a JavaScript tensor or in the pass's own memory, and the
// common beginning of all backward passes of block_calls.h.
#pragma once

#include <tril/foundation/saved_memory.h>

#include "block_calls.h"

namespace tril::js {

// The layout of saved results: the call's fingerprint first, then the trace.
template <typename Call>
class SavedPass {
 public:
  // Throws Error where nothing can be saved for the arguments of `call`, which it borrows.
  explicit SavedPass(const Call& call) : call_(call), fingerprint_(call.fingerprint()) {
    count_ = tril::saved_count([&](SavedMemory& size) { return lay_out(size); });
  }

  Index count() const noexcept { return count_; }

  // The trace for a pass to fill, in count() floats.
  auto begin(float* memory) const {
    fingerprint_.write(memory);
    return in(memory);
  }
  // The trace that a pass has filled. Throws Error where the fingerprint is that of another pass.
  auto found(const Tensor& saved) const {
    constexpr const char* kWhat = "must be what the forward pass of these inputs and options saved";
    if (saved.shape() != DynamicShape{count_}) {
      fail(call_.name, "saved", {kWhat, ", [", count_, "], is ", saved});
    }
    if (const char* const other = fingerprint_.other_than(saved.data())) {
      fail(call_.name, "saved", {kWhat, ", and that had another ", other});
    }
    return in(const_cast<float*>(saved.data()));  // only read from
  }

 private:
  auto lay_out(SavedMemory& memory) const {
    memory.take(static_cast<Index>(fingerprint_.count()));
    return call_.saved(memory);
  }
  auto in(float* memory) const {
    SavedMemory place(VectorView<float>(memory, {count_}));
    return lay_out(place);
  }

  const Call& call_;
  CallFingerprint fingerprint_;
  Index count_;
};

// The backward pass of a call: the gradient of its output, and the saved results of its forward
// pass. These are in `kept`, or are computed again where that is null. Throws Error where they do
// not fit.
template <typename Call>
class BackwardCall {
 public:
  BackwardCall(Engine& engine, const Call& call, const Tensor& d_output, const Tensor* kept)
      : results(engine, call.name) {
    check_same_shape(d_output, call.output, call.name, "d_out", "the output");
    const Shape<3> shape{call.input.size(0), call.input.size(1), call.output.back()};
    d_out = {d_output.data(), shape};
    Scratch::Frame frame(engine.scratch);
    const TensorView<float, 3> out(frame.take<float>(shape[0], shape[1], shape[2]), shape);
    call.check(out);
    const SavedPass pass(call);
    if (kept) {
      trace = pass.found(*kept);
    } else {
      memory_ = Buffer<float, 1>({pass.count()});
      trace = pass.begin(memory_.data());
      call.run(engine, out, trace);
    }
  }

  Results results;
  TensorView<const float, 3> d_out;
  decltype(std::declval<const Call&>().saved(std::declval<SavedMemory&>())) trace;

 private:
  Buffer<float, 1> memory_;
};

}  // namespace tril::js
