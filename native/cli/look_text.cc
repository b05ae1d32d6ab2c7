#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include "look.h"
#include "program.h"

namespace tril::cli {

namespace {

// A token as one line of valid UTF-8 with visible spaces, whatever its bytes.
std::string shown(const std::string& token) {
  std::string text = json_text(token);
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; (at = text.find(' ', at)) != text.npos;) text.replace(at, 1, "·");
  return text;
}

// The width in columns of a terminal on which each character takes one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

// `text` right-aligned in `width` columns, or cut to them.
std::string padded(std::string text, std::size_t width) {
  std::size_t columns = width_of(text);
  if (columns > width) {
    while (columns >= width) {
      while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      text.pop_back();
      --columns;
    }
    text += "…";
    ++columns;
  }
  return std::string(width - columns, ' ') + text;
}

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

// The shares of a head's weight on the first token, the previous token and the token itself: means
// over the tokens for which these three differ.
struct Habit {
  double first = 0, previous = 0, self = 0;

  // The letter and percentage of the largest share; a dash where more goes elsewhere.
  std::string text() const {
    const double elsewhere = 1 - first - previous - self;
    const std::pair<double, const char*> kinds[] = {
        {first, "F"}, {previous, "P"}, {self, "S"}, {elsewhere, "-"}};
    const auto& [share, letter] =
        *std::ranges::max_element(kinds, {}, &std::pair<double, const char*>::first);
    return letter + padded(std::to_string(percent(share)), 3);
  }
};

Habit habit_of(const MatrixView<const float>& head) {
  const Index T = head.size(0), from = std::min<Index>(2, T - 1);
  Habit habit;
  for (Index t = from; t < T; ++t) {
    const auto share = [&](Index s) { return s < 0 ? 0.0 : double{head[t][s]}; };
    habit.self += share(t) / static_cast<double>(T - from);
    if (t > 0) habit.first += share(0) / static_cast<double>(T - from);
    if (t > 1) habit.previous += share(t - 1) / static_cast<double>(T - from);
  }
  return habit;
}

}  // namespace

std::string overview(const Look& look) {
  const auto number = [](Index value) { return std::to_string(value); };
  std::string text = number(look.count()) + " tokens, " + number(look.layers()) + " layers of " +
                     number(look.heads()) +
                     " heads. Where most of a head's weight goes, on average, in per cent:\n"
                     "F the first token, P the one before, S the token itself, - elsewhere.\n\n" +
                     padded("head", 10);
  for (Index head = 0; head < look.heads(); ++head) text += padded(number(head), 6);
  for (Index layer = 0; layer < look.layers(); ++layer) {
    text += "\nlayer" + padded(number(layer), 5);
    for (Index head = 0; head < look.heads(); ++head) {
      text += "  " + habit_of(look.weights.view()[layer][head]).text();
    }
  }
  return text + "\n\n--layer N --head N shows what each token looks at.\n";
}

std::string map_of(const Look& look, Index layer, Index head) {
  constexpr std::array<const char*, 6> kShades = {" ", "·", "░", "▒", "▓", "█"};
  constexpr std::size_t kWidth = 14, kMost = 3;
  const MatrixView<const float> weights = look.weights.view()[layer][head];
  const auto token = [&](Index t) { return shown(look.tokens[static_cast<std::size_t>(t)]); };
  std::string text = "Layer " + std::to_string(layer) + ", head " + std::to_string(head) +
                     ": a row for each token, of what it takes of each.\n"
                     "  · from 1, ░ from 10, ▒ from 30, ▓ from 50, █ from 75 per cent\n\n";
  for (Index t = 0; t < look.count(); ++t) {
    text += padded(token(t), kWidth) + " |";
    for (Index s = 0; s < look.count(); ++s) {
      const float share = weights[t][s];
      const std::size_t shade =
          (share >= 0.01f) + (share >= 0.1f) + (share >= 0.3f) + (share >= 0.5f) + (share >= 0.75f);
      text += kShades[shade];
    }
    text += "|";
    std::vector<Index> order(static_cast<std::size_t>(look.count()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater(), [&](Index s) { return weights[t][s]; });
    for (std::size_t n = 0; n < std::min(kMost, order.size()); ++n) {
      const float share = weights[t][order[n]];
      if (share < 0.01f) break;
      text += (n > 0 ? ", " : " ") + std::to_string(percent(share)) + " % " + token(order[n]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace tril::cli
