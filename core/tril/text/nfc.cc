#include <tril/files/utf8.h>
#include <tril/foundation/heap_sort.h>
#include <tril/text/nfc.h>
#include <tril/text/nfc_table.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace tril::detail {
namespace {

constexpr std::uint32_t kMayChange = 128;

// Hangul syllables, which follow a rule (The Unicode Standard, 3.12).
constexpr std::uint32_t kSyllable = 0xac00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11a7;
constexpr std::uint32_t kLeads = 19, kVowels = 21, kTails = 28,
                        kSyllables = kLeads * kVowels * kTails;

class Unpacker {
 public:
  std::uint32_t number() noexcept {
    std::uint32_t number = 0;
    for (int bits = 0;; bits += 7) {
      const std::uint32_t byte = bytes_[at_++];
      number |= (byte & 0x7f) << bits;
      if (byte < 0x80) return number;
    }
  }
  // The next number of a sequence that is stored as differences.
  void step(std::uint32_t& number) noexcept {
    const std::uint32_t step = this->number();
    number += step % 2 == 1 ? 0 - (step + 1) / 2 : step / 2;
  }

 private:
  std::span<const std::uint8_t> bytes_ = packed_nfc_table();
  std::size_t at_ = 0;
};

NfcTable unpacked() {
  Unpacker packed;
  NfcTable table;
  table.changes.resize(packed.number());
  std::uint32_t before = 0;
  for (NfcChange& each : table.changes) packed.step(before), each.code = before;
  for (NfcChange& each : table.changes) each.kind = packed.number();
  table.decompositions.resize(packed.number());
  for (std::uint32_t Decomposition::*const field :
       {&Decomposition::code, &Decomposition::first, &Decomposition::last}) {
    before = 0;
    for (Decomposition& each : table.decompositions) packed.step(before), each.*field = before;
  }
  for (Decomposition& each : table.decompositions) {
    each.is_composed = packed.number() == 1;
    if (each.is_composed) table.composed.push_back(&each);
  }
  heap_sort(table.composed, {},
            [](const Decomposition* each) { return std::pair(each->first, each->last); });
  return table;
}

std::uint32_t kind_of(std::uint32_t code) {
  const std::vector<NfcChange>& changes = nfc_table().changes;
  return (std::ranges::upper_bound(changes, code, {}, &NfcChange::code) - 1)->kind;
}

struct Part {
  std::uint32_t code, combining_class;
  std::size_t place = 0;  // its number, so that those of one class stay in order
};

void decompose(std::uint32_t code, std::vector<Part>& parts) {
  if (code - kSyllable < kSyllables) {
    const std::uint32_t index = code - kSyllable, tail = index % kTails;
    parts.push_back({kLead + index / kTails / kVowels, 0});
    parts.push_back({kVowel + index / kTails % kVowels, 0});
    if (tail > 0) parts.push_back({kTail + tail, 0});
    return;
  }
  const std::vector<Decomposition>& table = nfc_table().decompositions;
  const auto found = std::ranges::lower_bound(table, code, {}, &Decomposition::code);
  if (found == table.end() || found->code != code) {
    parts.push_back({code, kind_of(code) % kMayChange});
    return;
  }
  decompose(found->first, parts);
  if (found->last > 0) decompose(found->last, parts);
}

// The composition of both; 0: there is none.
std::uint32_t composed(std::uint32_t first, std::uint32_t last) {
  if (first - kLead < kLeads && last - kVowel < kVowels) {
    return kSyllable + ((first - kLead) * kVowels + last - kVowel) * kTails;
  }
  const bool is_open = first - kSyllable < kSyllables && (first - kSyllable) % kTails == 0;
  if (is_open && last > kTail && last < kTail + kTails) return first + last - kTail;
  const std::vector<const Decomposition*>& table = nfc_table().composed;
  const auto parts = [](const Decomposition* each) { return std::pair(each->first, each->last); };
  const auto found = std::ranges::lower_bound(table, std::pair(first, last), {}, parts);
  return found != table.end() && parts(*found) == std::pair(first, last) ? (*found)->code : 0;
}

// Decomposes a text, sorts by class, and composes again: everything between a mark and the
// character it joins has a lower class than the mark.
std::string normal(std::string_view text) {
  std::vector<Part> parts, made;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    decompose(next.code, parts);
    text.remove_prefix(next.size);
  }
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto is_base = [](const Part& part) { return part.combining_class == 0; };
    const auto end = std::find_if(begin + 1, parts.end(), is_base);
    for (auto each = begin; each != end; ++each) {
      each->place = static_cast<std::size_t>(each - parts.begin());
    }
    heap_sort(std::span(begin, end), {},
              [](const Part& each) { return std::pair(each.combining_class, each.place); });
    begin = end;
  }
  std::size_t base = parts.size();  // the index in `made` of the character that marks join
  for (const Part& part : parts) {
    if (base < made.size()) {
      const std::uint32_t between = made.back().combining_class;
      const bool is_next = made.size() == base + 1,
                 is_free = is_next || between < part.combining_class;
      const std::uint32_t both = is_free ? composed(made[base].code, part.code) : 0;
      if (both > 0) {
        made[base].code = both;
        continue;
      }
    }
    if (part.combining_class == 0) base = made.size();
    made.push_back(part);
  }
  std::string out;
  for (const Part& part : made) append_utf8(out, part.code);
  return out;
}

// The number of bytes of the longest common prefix of whole characters.
std::size_t same_beginning(std::string_view a, std::string_view b) {
  std::size_t at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const auto is_inside = [&](std::string_view text) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (at > 0 && (is_inside(a) || is_inside(b))) --at;
  return at;
}

}  // namespace

const NfcTable& nfc_table() {
  static const NfcTable table = unpacked();
  return table;
}

void append_decomposed(std::uint32_t code, std::u32string& out) {
  std::vector<Part> parts;
  decompose(code, parts);
  for (const Part& part : parts) out += static_cast<char32_t>(part.code);
}

void append_nfc(std::string_view text, NormalizedText& out) {
  constexpr std::uint32_t kFirst = 0x300;  // nothing below it changes or joins what is before
  std::size_t done = 0;                    // the text before it is in `out`
  std::size_t begin = 0;                   // the beginning of characters that may change together
  std::uint32_t last_class = 0;
  bool may_change = false;
  const auto finish = [&](std::size_t end) {
    if (may_change) {
      const std::string_view before = text.substr(begin, end - begin);
      const std::string after = normal(before);
      if (after != before) {
        const std::size_t same = same_beginning(before, after);
        out.copy(text.substr(done, begin + same - done));
        out.replace(before.size() - same, std::string_view(after).substr(same));
        done = end;
      }
    }
    begin = end, last_class = 0, may_change = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = first_code_point(text.substr(at));
    const std::uint32_t kind = next.code < kFirst ? 0 : kind_of(next.code);
    if (kind == 0) finish(at);
    if (next.size == 0) {  // not UTF-8
      begin = ++at;
      continue;
    }
    const std::uint32_t combining_class = kind % kMayChange;
    may_change =
        may_change || kind >= kMayChange || (combining_class > 0 && combining_class < last_class);
    last_class = combining_class;
    at += next.size;
  }
  finish(text.size());
  out.copy(text.substr(done));
}

}  // namespace tril::detail
