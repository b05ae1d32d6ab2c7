// Decoding step by step: the core's DecodingSession, which JavaScript owns.
#include <emscripten/bind.h>
#include <tril/model/decoding_session.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "guard.h"
#include "model.h"
#include "parameters.h"

namespace tril::js {

namespace {

// A session that keeps its model alive. Its memory counts as the engine's.
struct Session {
  Session(ModelHandle given, Index capacity)
      : model(std::move(given)),
        session(model->model.parameters, capacity),
        memory(model->engine, session.bytes()) {}

  ModelHandle model;
  DecodingSession session;
  CountedBytes memory;
};

using SessionHandle = std::shared_ptr<Session>;

// Creates a session; a capacity of 0 means the model's context.
SessionHandle make_session(const ModelHandle& model, int capacity) {
  return std::make_shared<Session>(model, capacity);
}

int session_length(const Session& session) { return static_cast<int>(session.session.length()); }
int session_capacity(const Session& session) {
  return static_cast<int>(session.session.capacity());
}
void set_session_length(Session& session, int length) { session.session.set_length(length); }

// Gives the logits [V] after the last token.
TensorHandle session_append(Session& session, const Integers& tokens) {
  Engine& engine = session.model->engine;
  const Index vocabulary = session.session.config().vocabulary;
  auto out = std::make_shared<Tensor>(engine, DynamicShape{vocabulary}, "append");
  const VectorView<const float> logits = session.session.append(numbers_of(tokens), engine.context);
  std::copy_n(logits.data(), logits.size(0), out->data());
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_decoding_session) {
  using namespace emscripten;
  class_<Session>("_Session")
      .smart_ptr<SessionHandle>("_SessionHandle")
      .function("length", guard<&session_length>)
      .function("capacity", guard<&session_capacity>)
      .function("setLength", guard<&set_session_length>)
      .function("append", guard<&session_append>);
  function("_session", guard<&make_session>);
}

}  // namespace tril::js
