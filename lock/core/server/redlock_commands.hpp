// The commands and replies between a master and its Redis servers about one lock. RedlockMachine
// decides; each server runs a command's script (lock/engines/redis/scripts.hpp) as one step. The
// tests' model of a server follows the comments here.
//
// A server stores two entries per key. The lock contains the owner's value and expires after ttl.
// The record outlives the lock. It contains a counter, the newest lock value and one of these
// states:
//   clean   the last holder here released the lock, or never used it
//   held    a master has the lock and found the state clean
//   dirty   a master has the lock or vanished with it, and the state was not clean before
// If the record is missing, the state counts as dirty: the server may have lost its memory. The new
// record's counter may be below the lost counter.
//
// Thread rule: values. Bounds: `largest_counter`; a reply beyond it is invalid. Errors: none.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <variant>

#include "lock/core/lock_machine.hpp"

namespace fixkeep::lock {

inline constexpr std::size_t most_servers = 31;

// A set of servers, by number.
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
  void for_each(auto visit) const {
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

// If the lock is free: takes the lock for ttl, raises the counter to at least `above`, then adds
// one to the counter. The state becomes held if it was clean, otherwise dirty. If the lock is not
// free: changes nothing.
struct AcquireCommand {
  std::uint64_t above = 0;
};
// If the owner has the lock: extends the lock to ttl from now and raises the counter to at least
// `counter`.
struct ExtendCommand {
  std::uint64_t counter = 0;
};
// If the owner has the lock: frees the lock.
struct ReleaseCommand {
  enum class How : std::uint8_t {
    // If the server's counter is at most `counter`: sets it to `counter` and writes `value`; the
    // state becomes clean. Otherwise acts as `undo`, because the command arrived late and a later
    // holder may have used this server. If the command is in time, a majority of servers writes
    // `value`: these servers have the holder's token as their counter.
    clean,
    undo,   // the lock was not used: a state that was found clean is clean again
    leave,  // the state does not change, so that the next holder fences
  };
  How how = How::leave;
  std::uint64_t counter = 0;
  LockValue value;
  bool check_owner = true;  // false only in tests; the scripts always check the owner
};
struct RedlockCommand {
  std::string owner;         // random; a new one for each attempt
  std::uint64_t serial = 0;  // repeated in the reply
  std::variant<AcquireCommand, ExtendCommand, ReleaseCommand> order;
};

// --- from a server

struct AcquireReply {  // reply to AcquireCommand; the other fields are valid only if `granted`
  bool granted = false;
  std::uint64_t counter = 0;  // the counter before the command
  bool clean = false;         // the state was clean before
  LockValue value;            // the server's value; `uncertain` if it could not be read
};
struct OwnerReply {  // reply to ExtendCommand and ReleaseCommand
  bool owned = false;
};
struct CommandFailed {};  // the server reported an error; the command's effect is unknown
using RedlockReply = std::variant<AcquireReply, OwnerReply, CommandFailed>;

}  // namespace fixkeep::lock
