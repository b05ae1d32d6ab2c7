// The exports of lessons.h, beside those in bindings.cc.
#include <emscripten/bind.h>

#include "guard.h"
#include "lessons.h"

using namespace tril::js;
using namespace emscripten;

EMSCRIPTEN_BINDINGS(tril_lessons) {
  register_type<AccessTrace>(
      "{ output: _Tensor; accesses: Int32Array; lines: Int32Array; misses: Int32Array; totals: "
      "Int32Array }");

  function("_readProduct", guard<&read_product>, allow_raw_pointers());

  value_object<CacheOptions>("_CacheOptions")
      .field("method", &CacheOptions::method)
      .field("block", &CacheOptions::block)
      .field("lineBytes", &CacheOptions::line_bytes)
      .field("ways", &CacheOptions::ways)
      .field("sets", &CacheOptions::sets);
  function("_traceProduct", guard<&trace_product>, allow_raw_pointers());
  function("_expectedMisses", guard<&expected_misses>);

  function("_strassenLevel", guard<&strassen_level>, allow_raw_pointers());
  function("_strassenSigns", guard<&strassen_signs>);
  function("_productError", guard<&product_error>, allow_raw_pointers());
  function("_runPeak", guard<&run_peak>);

  value_object<RunningAverageOptions>("_RunningAverageOptions")
      .field("method", &RunningAverageOptions::method)
      .field("sum", &RunningAverageOptions::sum)
      .field("hidden", &RunningAverageOptions::hidden);
  function("_runningAverage", guard<&running_average>, allow_raw_pointers());
}
