#include <tril/model/settings_text.h>

namespace tril::detail {

void check_known_settings(const char* call, const Metadata& given, const Metadata& known) {
  for (const auto& [name, text] : given) {
    if (!known.contains(name)) fail(call, name.c_str(), "there is no such setting");
  }
}

void check_same_settings(const char* call, const Metadata& here, const Metadata& checkpoint) {
  for (const auto& [name, text] : checkpoint) {
    if (name == "trainer.steps" || here.at(name) == text) continue;
    fail(call, name.c_str(), {"is ", here.at(name), ", and in the checkpoint ", text});
  }
}

void add_metadata(Metadata& metadata, const Metadata& more) {
  for (const auto& [name, text] : more) {
    if (name.find('.') != std::string::npos) {
      fail("checkpoint_file", name.c_str(), "has a dot in it");
    }
    metadata[name] = text;
  }
}

}  // namespace tril::detail
