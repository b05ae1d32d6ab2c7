#include <tril/model/settings_text.h>

namespace tril::detail {

void check_known_settings(const char* call, const Metadata& given, const Metadata& known) {
  for (const auto& [name, text] : given) {
    if (!known.contains(name)) fail(call, name.c_str(), "there is no such setting");
  }
}

void check_same_settings(const char* call, const Metadata& here, const Metadata& checkpoint) {
  const auto text_of = [](const Metadata& settings, const std::string& name) {
    const auto at = settings.find(name);
    return at == settings.end() ? "none" : at->second;
  };
  const auto compare = [&](const Metadata& names) {
    for (const auto& [name, text] : names) {
      const std::string own = text_of(here, name), other = text_of(checkpoint, name);
      if (name == "trainer.steps" || own == other) continue;
      fail(call, name.c_str(), {"is ", own, ", and in the checkpoint ", other});
    }
  };
  compare(checkpoint);
  compare(here);  // an adapter's setting, which the checkpoint may lack
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
