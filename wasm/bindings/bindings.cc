// All that the module exports, one line each. A name that begins with _ is wrapped by the TypeScript in ../src,
// which checks what only JavaScript can see (kinds of values, unknown names, disposed tensors) and gives it its public name.
#include <emscripten/bind.h>

#include "guard.h"
#include "tensor.h"

using namespace tril::js;
using namespace emscripten;

EMSCRIPTEN_BINDINGS(tril) {
  register_type<Numbers>("number[]");
  register_type<Floats>("Float32Array");
  register_type<Integers>("Int32Array");
  register_type<NamedTensors>("Record<string, _Tensor>");

  class_<Engine>("_Engine")
      .constructor(guard<&make_engine>, allow_raw_pointers())
      .property("threads", &engine_threads)
      .property("tensors", &engine_tensors)
      .property("bytes", &engine_bytes);

  class_<Tensor>("_Tensor")
      .smart_ptr<TensorHandle>("_TensorHandle")
      .function("shape", guard<&tensor_shape>)
      .function("write", guard<&write_tensor>)
      .function("view", guard<&view_tensor>);

  function("_heapBytes", &heap_bytes);
  function("_tensor", guard<&make_tensor>);
  function("_randomNormal", guard<&random_normal>);
  function("_revokeViews", guard<&revoke_views>);
}
