// The project's seeded generator: xoshiro256** 1.0 (Blackman and Vigna 2018). SplitMix64 makes the
// first state from the seed, so even neighbouring seeds give unrelated streams.
//
// Standard libraries differ in their distributions. The distributions of this class give the same
// sequence for a seed on every machine. Do not use it for secrets.
// Thread rule: a value with one owner.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fixkeep {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      word = mixed ^ (mixed >> 31U);
    }
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound). REQUIRES: bound > 0. Uses Lemire's multiplication, with one call of
  // next(). The bias is at most bound / 2^64 and does not matter here.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

  // Uniform in [low, high]. REQUIRES: low <= high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

  // Uniform in [0, 1), with 53 random bits.
  constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  constexpr bool chance(double probability) { return unit() < probability; }

  friend bool operator==(const Random&, const Random&) = default;

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace fixkeep
