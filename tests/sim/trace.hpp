// What happened, in readable lines: every line at once (--trace), or only the last ones, for the
// report of a failure. Switched off it costs one comparison.
//
// Thread rule: one owner. Bounds: `keep` lines.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "master/core/seam/events.hpp"
#include "tests/sim/clock.hpp"
#include "worker/core/events.hpp"

namespace fixkeep::sim {

class Trace {
 public:
  enum class Mode : std::uint8_t { off, keep, print };

  explicit Trace(Mode mode = Mode::off, std::size_t keep = 80) : mode_(mode), keep_(keep) {}

  [[nodiscard]] bool on() const { return mode_ != Mode::off; }
  void line(SimTime time, const std::string& who, const std::string& what);
  [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }

 private:
  Mode mode_;
  std::size_t keep_;
  std::deque<std::string> lines_;
};

[[nodiscard]] std::string describe(const master::Event& event);
[[nodiscard]] std::string describe(const master::Action& action);
[[nodiscard]] std::string describe(const worker::Event& event);
[[nodiscard]] std::string describe(const worker::Action& action);

}  // namespace fixkeep::sim
