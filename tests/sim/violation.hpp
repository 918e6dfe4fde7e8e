// A promise of the cluster that was broken, found by the simulator. Ends the run.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "common/base/ids.hpp"

namespace fixkeep::sim {

// "12.m3"
[[nodiscard]] inline std::string text_of(const FencingToken& token) {
  return std::to_string(token.counter) + "." + to_string(token.master);
}

enum class Verdict : std::uint8_t {
  good = 0,
  liveness_failed = 4,  // something that must happen did not
  safety_failed = 5,    // something that must never happen did
};

class Violation : public std::runtime_error {
 public:
  static Violation safety(const std::string& what) { return {Verdict::safety_failed, what}; }
  static Violation liveness(const std::string& what) { return {Verdict::liveness_failed, what}; }

  [[nodiscard]] Verdict verdict() const { return verdict_; }

 private:
  Violation(Verdict verdict, const std::string& what)
      : std::runtime_error(what), verdict_(verdict) {}
  Verdict verdict_;
};

}  // namespace fixkeep::sim
