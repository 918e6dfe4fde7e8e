// The commands and replies between a master and its Redis servers about one lock. RedlockMachine
// decides; each server runs a script (redis_scripts.hpp) as one step. The model of a server in the
// tests is written against the comments here.
//
// A server keeps two entries a key. The lock is the owner's value and lapses after ttl. The record
// stays: a counter, the newest lock value, and a state. The state is
//   clean   the last holder here released the lock, or never used it
//   held    a master has it, and found it clean
//   dirty   a master has it, or vanished with it, and found it otherwise
// A missing record counts as dirty: the memory may be lost. Its new counter may or may not be above
// the lost one.
//
// Thread rule: values. Bounds: `largest_counter`; beyond it a reply is rubbish. Errors: none.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <variant>

#include "lock/core/lock_machine.hpp"

namespace fixkeep::lock {

inline constexpr std::size_t most_servers = 31;

// Some of the servers, by their number.
class ServerSet {
 public:
  void insert(std::size_t server) { bits_ |= bit(server); }
  void erase(std::size_t server) { bits_ &= ~bit(server); }
  [[nodiscard]] bool contains(std::size_t server) const { return (bits_ & bit(server)) != 0; }
  [[nodiscard]] bool empty() const { return bits_ == 0; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  [[nodiscard]] ServerSet within(ServerSet others) const {
    ServerSet both;
    both.bits_ = bits_ & others.bits_;
    return both;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (auto left = bits_; left != 0; left &= left - 1) {
      visit(static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
  friend bool operator==(ServerSet, ServerSet) = default;

 private:
  static std::uint32_t bit(std::size_t server) { return std::uint32_t{1} << server; }
  std::uint32_t bits_ = 0;
};

// --- from the master

// If the lock is free: takes it for ttl. A counter below `above` is raised to it. Then the counter
// grows by one. The state becomes held if it was clean, or else dirty.
struct AcquireCommand {
  std::uint64_t above = 0;
};
// If the owner has the lock: it lasts ttl from now on; raises the counter to `counter` if lower.
struct ExtendCommand {
  std::uint64_t counter = 0;
};
// If the owner has the lock: frees it.
struct ReleaseCommand {
  enum class How : std::uint8_t {
    // If the counter is not above `counter`: sets it and writes `value`. The state becomes clean.
    // Otherwise the command was long on its way and a later holder may have been here: it acts as
    // undo. A majority has stored the holder's token, so it is written there.
    clean,
    undo,   // the lock was not used: what was found clean is clean again
    leave,  // the state stays, so that the next holder fences
  };
  How how = How::leave;
  std::uint64_t counter = 0;
  LockValue value;
  bool check_owner = true;  // false: of a broken variant in the tests; there is no script for it
};
struct RedlockCommand {
  std::string owner;         // random; one for each attempt
  std::uint64_t serial = 0;  // comes back with the reply
  std::variant<AcquireCommand, ExtendCommand, ReleaseCommand> order;
};

// --- from a server

struct AcquireReply {  // reply to AcquireCommand; the rest is of use only if it was granted
  bool granted = false;
  std::uint64_t counter = 0;  // before it was raised
  bool clean = false;         // the state was
  LockValue value;            // `uncertain` also if it could not be read
};
struct OwnerReply {  // reply to the other commands
  bool owned = false;
};
struct CommandFailed {};  // the server said an error: what it did is unknown
using RedlockReply = std::variant<AcquireReply, OwnerReply, CommandFailed>;

}  // namespace fixkeep::lock
