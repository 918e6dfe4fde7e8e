// What a master has asked its workers and has no answer to.
//
// Thread rule: values of one Matchmaker.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/claim.hpp"

namespace fixkeep::master {

enum class QuestionKind : std::uint8_t { seats, promise, order };

// A message to a worker that wants an answer.
struct Question {
  QuestionKind kind = QuestionKind::seats;
  Group* group = nullptr;
  WorkerId worker;
  RoomId room;  // seats: the room
  std::vector<ClaimNumber> claims;
  std::uint32_t seats_left = 0;  // seats: what the room should have left, by belief
  std::uint64_t hold = 0;        // order: of which hold
  FencingToken token;            // promise
  CreationId creation;           // order
  ClientAddress client;          // order: of its first claim
  TimePoint asked_at;
  TimePoint expires;
};

}  // namespace fixkeep::master
