#include "tensor.h"

#include <emscripten/bind.h>
#include <emscripten/em_js.h>
#include <emscripten/heap.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "guard.h"

// A WebAssembly memory that grows by 0 pages keeps its bytes but detaches every typed array made on
// it: the only way to take back a lent view. Shared memory cannot be detached; there nothing
// happens. Its class is compared by name, since the buffer may be of another realm than the script.
EM_JS(void, tril_revoke_views, (), {
  if (Object.prototype.toString.call(wasmMemory.buffer) == '[object ArrayBuffer]') {
    wasmMemory.grow(0);
    updateMemoryViews();
  }
});

namespace tril::js {

namespace {

Buffer<float, 1> allocate(const DynamicShape& shape, const char* call) {
  const int rank = static_cast<int>(shape.size());
  const Index count = checked_count(shape.data(), rank, sizeof(float), call, "shape");
  Buffer<float, 1> values;
  detail::with_memory(call, {"a tensor of shape ", shape, " takes"},
                      static_cast<double>(count) * sizeof(float),
                      [&] { values = Buffer<float, 1>({count}); });
  return values;
}

// The bytes by which the module's memory can still grow.
std::uint64_t heap_left() {
  return emscripten_get_heap_max() - reinterpret_cast<std::uintptr_t>(sbrk(0));
}

}  // namespace

Tensor::Tensor(Engine& engine, DynamicShape shape, const char* call)
    : engine_(engine), shape_(std::move(shape)), values_(allocate(shape_, call)) {
  engine_.usage.tensors += 1;
  engine_.usage.bytes += static_cast<double>(count()) * sizeof(float);
}

Tensor::~Tensor() {
  written();
  engine_.usage.tensors -= 1;
  engine_.usage.bytes -= static_cast<double>(count()) * sizeof(float);
}

void Tensor::pack() {
  packed_.pack({data(), {size(0), size(1)}}, true, engine_.context);
  engine_.usage.bytes += static_cast<double>(packed_.bytes());
}

void Tensor::written() noexcept {
  engine_.usage.bytes -= static_cast<double>(packed_.bytes());
  packed_ = PackedMatrix();
}

std::string shape_text(const Tensor& tensor) {
  return tril::shape_text(tensor.shape().data(), tensor.rank());
}

const Tensor* named(const NamedTensors& tensors, const char* name) {
  const emscripten::val tensor = tensors[name];
  if (tensor.isUndefined() || tensor.isNull()) return nullptr;
  return tensor.as<Tensor*>(emscripten::allow_raw_pointers());
}

DynamicShape shape_from(const Numbers& numbers) {
  DynamicShape shape;
  for (const double size : emscripten::convertJSArrayToNumberVector<double>(numbers)) {
    // TypeScript has checked that these are integers; only their range is left to check.
    if (size > 2147483647.0) fail("tensor", "shape", "an axis is larger than this module can hold");
    shape.push_back(static_cast<Index>(size));
  }
  return shape;
}

Bytes to_javascript(std::span<const std::byte> bytes) {
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  const emscripten::val view(emscripten::typed_memory_view(bytes.size(), first));
  return Bytes(view.call<emscripten::val>("slice"));
}

Bytes to_javascript(std::string_view text) { return to_javascript(std::as_bytes(std::span(text))); }

std::string text_of(const Bytes& bytes) {
  std::string copy(bytes["length"].as<std::size_t>(), '\0');
  const emscripten::val view(emscripten::typed_memory_view(copy.size(), copy.data()));
  view.call<void>("set", bytes);
  return copy;
}

namespace {

Engine* make_engine(int threads) {
  tril::detail::set_free_memory(&heap_left);
  return std::make_unique<Engine>(threads).release();
}

int engine_threads(const Engine& engine) { return engine.parallel.threads(); }
bool engine_started(const Engine& engine) { return engine.parallel.started(); }
int engine_tensors(const Engine& engine) { return engine.usage.tensors; }
double engine_bytes(const Engine& engine) { return engine.usage.bytes; }

double engine_working_bytes(const Engine& engine) {
  return static_cast<double>(engine.scratch.capacity());
}
double engine_peak_bytes(const Engine& engine) {
  return static_cast<double>(engine.scratch.peak());
}
void reset_engine_peak(Engine& engine) { engine.scratch.reset_peak(); }

double heap_bytes() { return static_cast<double>(emscripten_get_heap_size()); }

TensorHandle make_tensor(Engine& engine, const Numbers& shape) {
  return std::make_shared<Tensor>(engine, shape_from(shape), "tensor");
}

TensorHandle random_normal(Engine& engine, const Numbers& shape, double seed) {
  TensorHandle out = std::make_shared<Tensor>(engine, shape_from(shape), "random_normal");
  Random random(static_cast<std::uint64_t>(seed));
  fill_normal(TensorView<float, 1>(out->data(), {out->count()}), random);
  return out;
}

TensorHandle random_uniform(Engine& engine, const Numbers& shape, double seed, double low,
                            double high) {
  TensorHandle out = std::make_shared<Tensor>(engine, shape_from(shape), "random_uniform");
  Random random(static_cast<std::uint64_t>(seed));
  fill_uniform(TensorView<float, 1>(out->data(), {out->count()}), random, static_cast<float>(low),
               static_cast<float>(high));
  return out;
}

// Copies a weight, and packs the copy where it is a matrix.
TensorHandle prepare_weight(Engine& engine, const Tensor& weight) {
  TensorHandle out = std::make_shared<Tensor>(engine, weight.shape(), "prepare_weights");
  std::copy_n(weight.data(), weight.count(), out->data());
  if (weight.rank() == 2 && weight.count() > 0) out->pack();
  return out;
}

Numbers tensor_shape(const Tensor& tensor) {
  return Numbers(emscripten::val::array(tensor.shape()));
}

Floats view_tensor(Tensor& tensor) {
  return Floats(emscripten::val(
      emscripten::typed_memory_view(static_cast<std::size_t>(tensor.count()), tensor.data())));
}

void write_tensor(Tensor& tensor, const Floats& values) {
  tensor.written();
  view_tensor(tensor).call<void>("set", values);
}

// A view for a caller who could write to it.
Floats lend_tensor(Tensor& tensor) {
  tensor.written();
  return view_tensor(tensor);
}

void revoke_views() { tril_revoke_views(); }

}  // namespace

EMSCRIPTEN_BINDINGS(tril_tensor) {
  using namespace emscripten;
  register_optional<double>();
  register_type<Numbers>("number[]");
  register_type<Floats>("Float32Array");
  register_type<Integers>("Int32Array");
  register_type<Bytes>("Uint8Array");
  register_type<Names>("string[]");
  register_type<NamedTensors>("Record<string, _Tensor>");

  class_<Engine>("_Engine")
      .constructor(guard<&make_engine>, allow_raw_pointers())
      .property("threads", &engine_threads)
      .property("started", &engine_started)
      .property("tensors", &engine_tensors)
      .property("bytes", &engine_bytes)
      .property("workingBytes", &engine_working_bytes)
      .property("peakBytes", &engine_peak_bytes)
      .function("resetPeak", guard<&reset_engine_peak>);

  class_<Tensor>("_Tensor")
      .smart_ptr<TensorHandle>("_TensorHandle")
      .function("shape", guard<&tensor_shape>)
      .function("write", guard<&write_tensor>)
      .function("view", guard<&view_tensor>)
      .function("lend", guard<&lend_tensor>);
  function("_heapBytes", guard<&heap_bytes>);
  function("_tensor", guard<&make_tensor>);
  function("_randomNormal", guard<&random_normal>);
  function("_randomUniform", guard<&random_uniform>);
  function("_prepareWeight", guard<&prepare_weight>);
  function("_revokeViews", guard<&revoke_views>);
}

}  // namespace tril::js
