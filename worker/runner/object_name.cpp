#include "worker/runner/object_name.hpp"

#include <array>
#include <cstdio>

namespace fixkeep::worker {
namespace {

bool may_be_there(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// FNV-1a, 64 bits.
unsigned long long hash_of(std::string_view text) {
  unsigned long long hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace

std::string object_name(std::string_view cluster, const RoomId& room) {
  const std::string whole = "fixkeep-" + std::string{cluster} + "-" + to_string(room);
  std::string name = whole;
  for (char& c : name) c = may_be_there(lower(c)) ? lower(c) : '-';
  if (name == whole && name.size() <= most_object_name) return name;
  std::array<char, 18> hash{};
  std::snprintf(hash.data(), hash.size(), "-%016llx", hash_of(whole));
  return name.substr(0, most_object_name - 17) + hash.data();
}

}  // namespace fixkeep::worker
