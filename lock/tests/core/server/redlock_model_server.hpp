// A model of one Redis server with one key, written against the comments of redlock_commands.hpp.
// Its clock is the caller's.
// Thread rule: a value. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "lock/core/server/redlock_commands.hpp"

namespace fixkeep::lock {

struct ModelServer {
  enum class State : std::uint8_t { clean, held, dirty };
  struct Lock {
    std::string owner;
    TimePoint lapses;
  };
  struct Record {
    std::uint64_t counter = 0;
    State state = State::dirty;
    LockValue value;
  };

  [[nodiscard]] bool locked(TimePoint now) const { return lock && now < lock->lapses; }
  [[nodiscard]] bool owned_by(const std::string& owner, TimePoint now) const {
    return locked(now) && lock->owner == owner;
  }

  RedlockReply carry_out(const RedlockCommand& command, Duration ttl, TimePoint now) {
    if (const auto* acquire = std::get_if<AcquireCommand>(&command.order)) {
      if (locked(now)) return AcquireReply{};
      const bool clean = record && record->state == State::clean;
      if (!record) record = Record{first_counter, State::dirty, {}};
      const AcquireReply reply{true, record->counter, clean, record->value};
      record->counter = std::max(record->counter, acquire->above) + 1;
      record->state = clean ? State::held : State::dirty;
      lock = Lock{command.owner, now + ttl};
      return reply;
    }
    if (const auto* extend = std::get_if<ExtendCommand>(&command.order)) {
      if (!owned_by(command.owner, now)) return OwnerReply{false};
      lock->lapses = now + ttl;
      record->counter = std::max(record->counter, extend->counter);
      return OwnerReply{true};
    }
    const auto& release = std::get<ReleaseCommand>(command.order);
    if (release.check_owner ? !owned_by(command.owner, now) : !locked(now)) {
      return OwnerReply{false};
    }
    lock.reset();
    const bool behind = release.counter < record->counter;
    if (release.how == ReleaseCommand::How::clean && !behind) {
      *record = {release.counter, State::clean, release.value};
    } else if (release.how != ReleaseCommand::How::leave && record->state == State::held) {
      record->state = State::clean;
    }
    return OwnerReply{true};
  }

  std::uint64_t first_counter = 0;  // of a new record
  std::optional<Lock> lock;
  std::optional<Record> record;
};

}  // namespace fixkeep::lock
