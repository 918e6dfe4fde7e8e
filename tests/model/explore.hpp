// Explores every state that a model can reach, breadth first.
//
// A model is a value with
//   std::vector<Step> steps() const;         what can happen next; Step is a small integer code
//   void take(Step);                         REQUIRES: one of steps()
//   std::optional<std::string> violation() const;
//   void append_bytes(std::string&) const;   the whole state, canonically
//   std::string describe(Step) const;        one line of a trace
//
// States are remembered as 128-bit fingerprints: with n states the chance that two share one is
// below n^2 / 2^128. A violation comes with a shortest trace, since the search is breadth first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixkeep::model {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

[[nodiscard]] inline Fingerprint fingerprint_of(std::string_view bytes) {
  Fingerprint print{0x9e3779b97f4a7c15U, 0xc2b2ae3d27d4eb4fU};
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    print.high = (print.high ^ byte) * 0x100000001b3U;
    print.low = (print.low + byte) * 0xff51afd7ed558ccdU;
    print.low ^= print.low >> 29U;
  }
  print.high ^= print.low >> 32U;
  return print;
}

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& print) const { return print.low; }
};

struct Exploration {
  std::size_t states = 0;
  std::size_t deepest = 0;
  bool complete = false;                 // every reachable state was seen
  std::optional<std::string> violation;  // what is wrong, and below it the steps that lead there
  std::vector<std::string> trace;
};

template <class Model>
Exploration explore(const Model& initial, std::size_t most_states) {
  struct Reached {
    std::uint32_t parent;
    std::uint32_t step;
  };
  struct Waiting {
    Model model;
    std::uint32_t index;
    std::uint32_t depth;
  };
  std::unordered_map<Fingerprint, std::uint32_t, FingerprintHash> seen;
  std::vector<Reached> reached;
  std::deque<Waiting> frontier;
  Exploration result;
  std::string bytes;

  const auto trace_to = [&](std::uint32_t index) {
    std::vector<std::uint32_t> steps;
    for (; index != 0; index = reached[index].parent) steps.push_back(reached[index].step);
    Model replay = initial;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      result.trace.push_back(replay.describe(*step));
      replay.take(*step);
    }
  };

  initial.append_bytes(bytes);
  seen.emplace(fingerprint_of(bytes), 0);
  reached.push_back({0, 0});
  frontier.push_back({initial, 0, 0});
  while (!frontier.empty()) {
    const Waiting now = std::move(frontier.front());
    frontier.pop_front();
    result.deepest = now.depth;
    if (auto wrong = now.model.violation()) {
      result.violation = std::move(wrong);
      result.states = reached.size();
      trace_to(now.index);
      return result;
    }
    for (const auto step : now.model.steps()) {
      Model next = now.model;
      next.take(step);
      bytes.clear();
      next.append_bytes(bytes);
      const auto index = static_cast<std::uint32_t>(reached.size());
      if (!seen.emplace(fingerprint_of(bytes), index).second) continue;
      reached.push_back({now.index, step});
      frontier.push_back({std::move(next), index, now.depth + 1});
    }
    if (reached.size() >= most_states) break;
  }
  result.states = reached.size();
  result.complete = frontier.empty();
  return result;
}

}  // namespace fixkeep::model
