// The users of rooms. Each room gets one number, from `first` to `last` inclusive.
// Thread rule: a value. Bounds: none. Errors: none.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace fixkeep::worker {

struct UserRange {
  std::uint32_t first = 0;  // 0: rooms have no users of their own
  std::uint32_t last = 0;

  [[nodiscard]] bool any() const { return first != 0; }
  [[nodiscard]] bool contains(uid_t user) const { return any() && first <= user && user <= last; }
  friend bool operator==(const UserRange&, const UserRange&) = default;
};

inline constexpr std::uint32_t least_room_user = 1000;  // smaller numbers are users of the system
inline constexpr auto needs_root =
    "needs a worker that is root: start it as root (a unit of systemd without User=), or take "
    "rooms.users out";

}  // namespace fixkeep::worker
