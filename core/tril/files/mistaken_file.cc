#include <tril/files/mistaken_file.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <cstddef>

namespace tril::detail {
namespace {

using std::string_view;
using namespace std::string_view_literals;

constexpr string_view kZip = "PK\3\4";

// Whether a text begins with a lower-case word, in any case.
bool begins_with(string_view text, string_view word) noexcept {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, small);
}

constexpr string_view kPickle =
    "is a pickle, as PyTorch's .pt and .pth files are: it can run any program, so it is never "
    "opened; save the tensors by safetensors.torch.save_file(model.state_dict(), "
    "\"model.safetensors\")";
constexpr string_view kGguf =
    "is a .gguf file, which is not read here: it is loaded as a model, by itself";
constexpr string_view kTar = "is a .tar archive: unpack it first";
constexpr string_view kUtf16 = "is not text in UTF-8 but in UTF-16: save it as UTF-8";

struct Signature {
  std::size_t offset;
  string_view bytes, problem;
};
constexpr Signature kSignatures[] = {
    {0, "version https://git-lfs"sv,
     "is a Git LFS pointer, not the file: run `git lfs pull` where it was cloned, or download the "
     "file itself"},
    {0, "\x80\2"sv, kPickle},
    {0, "\x80\3"sv, kPickle},
    {0, "\x80\4"sv, kPickle},
    {0, "\x80\5"sv, kPickle},
    {0, "GGUF\2\0"sv, kGguf},
    {0, "GGUF\3\0"sv, kGguf},
    {0, "\x89HDF\r\n\x1a\n"sv,
     "is an HDF5 file, as Keras's .h5 files are, which is not read: save its arrays by "
     "numpy.savez or safetensors.numpy.save_file"},
    {0, "MATLAB 5.0 MAT-file"sv,
     "is a .mat file of MATLAB, which is not read: save its arrays by numpy.savez(\"arrays.npz\", "
     "**scipy.io.loadmat(...))"},
    {2, "\0\0TFL3"sv,
     "is a TensorFlow Lite model, which is not read: save its weights as .safetensors"},
    {0, "PAR1\x15"sv, "is a Parquet file, which is not read: save its table as .csv or .npy"},
    {0, "ARROW1\0"sv,
     "is an Arrow or Feather file, which is not read: save its table as .csv or .npy"},
    {0, "\x93NUMPY"sv, "is a .npy file"},
    {0, "\x1f\x8b"sv, "is packed by gzip: unpack it first"},
    {0, "BZh91AY&SY"sv, "is packed by bzip2: unpack it first"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "is packed by xz: unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "is packed by Zstandard: unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "is a .7z archive: unpack it first"},
    {257, "ustar\0"sv, kTar},
    {257, "ustar  \0"sv, kTar},
    {0, "\x89PNG\r\n\x1a\n"sv, "is a picture, PNG"},
    {0, "\xff\xd8\xff"sv, "is a picture, JPEG"},
    {0, "%PDF-"sv, "is a PDF document"},
    {0, "\xff\xfe"sv, kUtf16},
    {0, "\xfe\xff"sv, kUtf16}};

// Recognises by its first entry a .zip archive that is not an .npz archive.
string_view known_archive(string_view begin) noexcept {
  constexpr std::size_t kNameLength = 26, kName = 30;
  if (begin.size() < kName) return {};
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(begin[at]));
  };
  const string_view name = begin.substr(kName, byte(kNameLength) | byte(kNameLength + 1) << 8);
  if (name.ends_with("/data.pkl") || name == "data.pkl") return kPickle;
  if (name == "metadata.json") {
    return "is a .keras file, which is not read: save its weights by safetensors.numpy.save_file";
  }
  if (name == "[Content_Types].xml" || name.starts_with("_rels/") ||
      name.starts_with("docProps/")) {
    return "is an office document, such as .xlsx, which is not read: save its table as .csv";
  }
  return {};
}

// A protocol buffer whose first field is a version, and the next one a text or another buffer.
bool is_onnx(string_view begin) noexcept {
  return begin.size() > 2 && begin[0] == '\x08' && begin[1] > 0 && begin[1] < 32 &&
         string_view("\x12\x1a\x22\x2a\x32\x3a\x42").find(begin[2]) != begin.npos;
}

}  // namespace

string_view known_file(string_view begin) noexcept {
  for (const auto& [offset, bytes, problem] : kSignatures) {
    if (begin.size() > offset && begin.substr(offset).starts_with(bytes)) return problem;
  }
  if (begin.starts_with(kZip)) return known_archive(begin);
  if (is_onnx(begin))
    return "is an ONNX model, which is not read: save its weights as .safetensors";
  while (!begin.empty() && string_view("\xef\xbb\xbf \t\r\n").find(begin[0]) != begin.npos) {
    begin.remove_prefix(1);
  }
  if (begins_with(begin, "<!doctype") || begins_with(begin, "<html")) {
    return "is a web page, not the file: download the file itself (at Hugging Face its address has "
           "/resolve/ in it, that of the page /blob/)";
  }
  return {};
}

void refuse_mistaken_file(const char* call, const char* argument, string_view begin) {
  const string_view problem = known_file(begin);
  if (!problem.empty()) fail(call, argument, problem);
  if (begin.starts_with(kZip)) fail(call, argument, "is a .zip archive: unpack it first");
}

}  // namespace tril::detail
