#include "npz.h"

#include <tril/foundation/error.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#ifdef TRIL_LIBZIP
#include <zip.h>
#endif

namespace tril::cli {

#ifdef TRIL_LIBZIP

const char* const kNpzNote = ".npz archives are read wherever .npy and .safetensors files are.";

namespace {

struct Close {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Close>;
using File = std::unique_ptr<zip_file_t, Close>;

[[noreturn]] void refuse(const std::string& problem) { throw Error("", "", problem); }

// Of all that deflate can make of a byte, the most (zlib.net, "Maximum Compression Factor").
constexpr zip_uint64_t kMostPacked = 1032;

Archive open(std::span<const std::byte> bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr);
  const std::string problem = archive ? "" : zip_error_strerror(&error);
  if (!archive && source) zip_source_free(source);
  zip_error_fini(&error);
  if (!archive) refuse("cannot be read as a .npz archive: " + problem);
  return archive;
}

NpzEntry read_entry(zip_t* archive, zip_uint64_t index) {
  zip_stat_t about;
  if (zip_stat_index(archive, index, 0, &about) != 0) refuse(zip_strerror(archive));
  const std::string_view name = about.name;
  // Quoted, so that whatever stands in it stays on its line.
  const std::string shown =
      nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
      " in the archive";
  if (!name.ends_with(".npy")) refuse(shown + " is no .npy file");
  if (about.size / kMostPacked > about.comp_size) {
    refuse(shown + " is said to be " + std::to_string(about.size) + " bytes long, which " +
           std::to_string(about.comp_size) + " packed bytes cannot be");
  }
  const File file(zip_fopen_index(archive, index, 0));
  if (!file) refuse(shown + ": " + zip_strerror(archive));
  // The checksum is looked at when the end is reached: one byte more is asked for than there are.
  std::vector<std::byte> bytes(static_cast<std::size_t>(about.size) + 1);
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const zip_int64_t read = zip_fread(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (read < 0) refuse(shown + ": " + zip_file_strerror(file.get()));
    if (read == 0) break;
    filled += static_cast<std::size_t>(read);
  }
  if (filled != about.size) {
    refuse(shown + (filled < about.size ? " ends before the " : " goes on after the ") +
           std::to_string(about.size) + " bytes that it says");
  }
  bytes.pop_back();
  return {std::string(name.substr(0, name.size() - 4)), std::move(bytes)};
}

}  // namespace

std::vector<NpzEntry> read_npz(std::span<const std::byte> bytes) {
  const Archive archive = open(bytes);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  std::vector<NpzEntry> entries;
  for (zip_int64_t index = 0; index < count; ++index) {
    NpzEntry entry = read_entry(archive.get(), static_cast<zip_uint64_t>(index));
    if (std::ranges::find(entries, entry.name, &NpzEntry::name) != entries.end()) {
      refuse("two files in the archive have the same name");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

#else

const char* const kNpzNote =
    ".npz archives are not read: this program was built without libzip. Unpack them.";

std::vector<NpzEntry> read_npz(std::span<const std::byte>) {
  throw Error(
      "", "",
      "is a .npz archive, and this program was built without libzip; unpack it and give one of "
      "its .npy files");
}

#endif

}  // namespace tril::cli
