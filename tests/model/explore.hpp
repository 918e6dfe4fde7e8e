// Explores every state that a model can reach, breadth first.
//
// A model is a value with
//   void steps(std::vector<Step>&) const;    what can happen next; a Step is 16 bits
//   void take(Step);                         REQUIRES: one of steps()
//   std::optional<std::string> violation(const std::vector<Step>& steps) const;
//   void append_bytes(std::string&) const;   the whole state, canonically
//   std::string describe(Step) const;        one line of a trace: what taking it would mean
//
// States are remembered as 128-bit fingerprints in a flat table (16 bytes each at half load) and
// by how they were reached (8 bytes); whole models are kept only for the frontier. With n states
// the chance that two share a fingerprint is below n^2 / 2^128. A violation comes with a shortest
// trace, since the search is breadth first. Bounds: `most_states`. Thread rule: free function.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixkeep::model {

using Step = std::uint16_t;

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

[[nodiscard]] inline Fingerprint fingerprint_of(std::string_view bytes) {
  constexpr std::uint64_t odd_one = 0x2127599bf4325c37U;
  constexpr std::uint64_t odd_other = 0xff51afd7ed558ccdU;
  Fingerprint print{0x9e3779b97f4a7c15U ^ bytes.size(), 0xc2b2ae3d27d4eb4fU};
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), taken);
    bytes.remove_prefix(taken);
    print.high = std::rotl(print.high ^ word, 23) * odd_one;
    print.low = (print.low + word) * odd_other;
    print.low ^= print.low >> 29U;
  }
  print.high ^= print.low >> 32U;
  print.low = (print.low ^ std::rotl(print.high, 31)) * odd_one;
  print.low ^= print.low >> 32U;
  if (print == Fingerprint{}) print.low = 1;  // all zero marks an empty place of the table
  return print;
}

class FingerprintSet {
 public:
  // False if it was there.
  bool insert(const Fingerprint& print) {
    if (2 * (size_ + 1) > table_.size()) grow();
    if (!place(print)) return false;
    ++size_;
    return true;
  }

 private:
  bool place(const Fingerprint& print) {
    auto at = print.low & (table_.size() - 1);
    while (table_[at] != Fingerprint{}) {
      if (table_[at] == print) return false;
      at = (at + 1) & (table_.size() - 1);
    }
    table_[at] = print;
    return true;
  }
  void grow() {
    const auto old = std::exchange(table_, std::vector<Fingerprint>(table_.size() * 2));
    for (const auto& print : old) {
      if (print != Fingerprint{}) place(print);
    }
  }

  std::vector<Fingerprint> table_ = std::vector<Fingerprint>(1024);
  std::size_t size_ = 0;
};

struct Exploration {
  std::size_t states = 0;
  std::size_t deepest = 0;
  bool complete = false;                 // every reachable state was seen
  std::optional<std::string> violation;  // what is wrong
  std::vector<std::string> trace;        // the steps that lead there, a line each
};

template <class Model>
class Search {
 public:
  Search(const Model& initial, std::size_t most_states)
      : initial_(initial), most_states_(most_states) {}

  Exploration run() {
    Exploration result;
    reach(Model{initial_}, {0, 0, 0});
    std::vector<Step> steps;
    while (!frontier_.empty() && reached_.size() < most_states_) {
      const Waiting now = std::move(frontier_.front());
      frontier_.pop_front();
      result.deepest = now.depth;
      steps.clear();
      now.model.steps(steps);
      result.violation = now.model.violation(steps);
      if (result.violation) {
        trace_to(now.index, result.trace);
        break;
      }
      for (const auto step : steps) {
        Model next = now.model;
        next.take(step);
        reach(std::move(next), {now.index, step, now.depth + 1});
      }
    }
    result.states = reached_.size();
    result.complete = frontier_.empty() && !result.violation;
    return result;
  }

 private:
  struct Arrival {
    std::uint32_t parent;
    Step step;
    std::uint32_t depth;
  };
  struct Reached {
    std::uint32_t parent;
    Step step;
  };
  struct Waiting {
    Model model;
    std::uint32_t index;
    std::uint32_t depth;
  };

  void reach(Model&& model, const Arrival& arrival) {
    bytes_.clear();
    model.append_bytes(bytes_);
    if (!seen_.insert(fingerprint_of(bytes_))) return;
    const auto index = static_cast<std::uint32_t>(reached_.size());
    reached_.push_back({arrival.parent, arrival.step});
    frontier_.push_back({std::move(model), index, arrival.depth});
  }

  void trace_to(std::uint32_t index, std::vector<std::string>& trace) const {
    std::vector<Step> steps;
    for (; index != 0; index = reached_[index].parent) steps.push_back(reached_[index].step);
    Model replay = initial_;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      trace.push_back(replay.describe(*step));
      replay.take(*step);
    }
  }

  const Model& initial_;
  std::size_t most_states_;
  FingerprintSet seen_;
  std::vector<Reached> reached_;
  std::deque<Waiting> frontier_;
  std::string bytes_;
};

template <class Model>
Exploration explore(const Model& initial, std::size_t most_states) {
  return Search<Model>{initial, most_states}.run();
}

}  // namespace fixkeep::model
