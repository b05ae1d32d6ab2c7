#include "npz.h"

#include <tril/foundation/error.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
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

// Of all that deflate can make of a byte, the most (zlib.net, "Maximum Compression Factor").
constexpr zip_uint64_t kMostPacked = 1032;

// Quoted, so that whatever stands in it stays on its line.
std::string shown(std::string_view name) {
  return nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
         " in the archive";
}

std::vector<std::byte> unpack(zip_t* archive, const zip_stat_t& about) {
  constexpr std::size_t kPiece = 1 << 16;
  if (about.size / kMostPacked > about.comp_size) {
    refuse(shown(about.name) + " is said to be " + std::to_string(about.size) +
           " bytes long, which " + std::to_string(about.comp_size) + " packed bytes cannot be");
  }
  const File file(zip_fopen_index(archive, about.index, 0));
  if (!file) refuse(shown(about.name) + ": " + zip_strerror(archive));
  std::vector<std::byte> bytes;
  // The checksum is looked at when the end is reached: more is asked for than there should be.
  while (bytes.size() <= about.size) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + kPiece);
    const zip_int64_t read = zip_fread(file.get(), bytes.data() + begin, kPiece);
    if (read < 0) refuse(shown(about.name) + ": " + zip_file_strerror(file.get()));
    bytes.resize(begin + static_cast<std::size_t>(read));
    if (read == 0) break;
  }
  if (bytes.size() != about.size) {
    refuse(shown(about.name) +
           (bytes.size() < about.size ? " ends before the " : " goes on after the ") +
           std::to_string(about.size) + " bytes that it says");
  }
  return bytes;
}

}  // namespace

std::vector<NpzEntry> read_npz(std::span<const std::byte> bytes) {
  const Archive archive = open(bytes);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  std::vector<NpzEntry> entries;
  std::set<std::string> names;
  std::size_t packed = 0;
  for (zip_int64_t index = 0; index < count; ++index) {
    zip_stat_t about;
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(index), 0, &about) != 0) {
      refuse(zip_strerror(archive.get()));
    }
    const std::string name = about.name;
    if (name.ends_with('/')) continue;  // a folder
    if (!names.insert(name).second) refuse("two files in the archive have the same name");
    if (about.comp_size > bytes.size() - packed) {
      refuse(shown(name) + " is not all there, or overlaps another file");
    }
    packed += static_cast<std::size_t>(about.comp_size);
    if (!name.ends_with(".npy")) {
      entries.push_back({name, {}, shown(name) + " is no .npy file"});
      continue;
    }
    entries.push_back({name.substr(0, name.size() - 4), unpack(archive.get(), about), ""});
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
