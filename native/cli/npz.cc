#include "npz.h"

#include <tril/files/file.h>
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

// The largest ratio at which deflate can compress (zlib.net, "Maximum Compression Factor").
constexpr zip_uint64_t kMostPacked = 1032;

// Quoted, so that any name stays on its line.
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
  // libzip tests the checksum at the end of the data, so more is read than the stated size.
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

void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members) {
  zip_error_t error;
  zip_error_init(&error);
  const auto fail_with = [&](const char* problem) {
    zip_error_fini(&error);
    refuse(std::string("cannot be packed: ") + problem);
  };
  zip_source_t* const memory = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (!memory) fail_with(zip_error_strerror(&error));
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> kept(memory, &zip_source_free);
  zip_source_keep(memory);  // one owner here, the other is the archive
  Archive archive(zip_open_from_source(memory, ZIP_TRUNCATE, &error));
  if (!archive) fail_with(zip_error_strerror(&error));
  std::vector<std::vector<zip_buffer_fragment_t>> fragments;
  for (const NpzMember& member : members) {
    std::vector<zip_buffer_fragment_t>& parts = fragments.emplace_back();
    for (const std::span<const std::byte> piece : member.pieces) {
      auto* const first = reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(piece.data()));
      parts.push_back({first, piece.size()});
    }
    zip_source_t* const source =
        zip_source_buffer_fragment(archive.get(), parts.data(), parts.size(), 0);
    const std::string name = member.name + ".npy";
    const zip_int64_t index =
        source ? zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) fail_with(zip_strerror(archive.get()));
    const auto place = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), place, ZIP_CM_STORE, 0);
    zip_file_set_mtime(archive.get(), place, 315532800,
                       0);  // 1980, the first: equal files are equal
  }
  if (zip_close(archive.get()) != 0) fail_with(zip_strerror(archive.get()));
  archive.release();  // closing has freed it
  zip_stat_t about;
  zip_source_stat(memory, &about);
  std::vector<std::byte> bytes(static_cast<std::size_t>(about.size));
  zip_source_open(memory);
  zip_source_read(memory, bytes.data(), bytes.size());
  zip_source_close(memory);
  zip_error_fini(&error);
  const std::span<const std::byte> all[] = {bytes};
  write_file(path, all);
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

void write_npz(const std::filesystem::path&, std::span<const NpzMember>) {
  throw Error("", "", "cannot be written: this program was built without libzip; .npy can");
}

#endif

}  // namespace tril::cli
