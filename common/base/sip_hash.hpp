// SipHash-1-3 with 64 bits by J.-P. Aumasson and D. J. Bernstein. Without the secret key nobody can
// find texts with equal hashes. Thus such texts cannot make a hash table slow. The hash tables of
// Rust and Python use the same variant. SipHash-2-4 takes twice the rounds; it is for signatures.
//
// The code is our own, because sans-IO folders include no library that has this hash. OpenSSL's
// version needs half a microsecond to start. Thread rule: a free function. Errors: none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fixkeep {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const SipKey&, const SipKey&) = default;
};

namespace sip {

inline void round(std::array<std::uint64_t, 4>& v) {
  v[0] += v[1];
  v[1] = std::rotl(v[1], 13) ^ v[0];
  v[0] = std::rotl(v[0], 32);
  v[2] += v[3];
  v[3] = std::rotl(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = std::rotl(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = std::rotl(v[1], 17) ^ v[2];
  v[2] = std::rotl(v[2], 32);
}

// Reads the bytes as a little-endian number. REQUIRES: at most eight bytes.
[[nodiscard]] inline std::uint64_t word_of(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

}  // namespace sip

[[nodiscard]] inline std::uint64_t sip_hash(const SipKey& key, std::string_view text) {
  std::array<std::uint64_t, 4> v{key.low ^ 0x736f6d6570736575U, key.high ^ 0x646f72616e646f6dU,
                                 key.low ^ 0x6c7967656e657261U, key.high ^ 0x7465646279746573U};
  const auto take = [&v](std::uint64_t word) {
    v[3] ^= word;
    sip::round(v);
    v[0] ^= word;
  };
  const std::uint64_t length = std::uint64_t{text.size()} << 56U;
  for (; text.size() >= 8; text.remove_prefix(8)) take(sip::word_of(text.substr(0, 8)));
  take(length | sip::word_of(text));
  v[2] ^= 0xFFU;
  for (int i = 0; i < 3; ++i) sip::round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

}  // namespace fixkeep
