// Bounds for all messages on links. A message beyond a bound is malformed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/ids.hpp"
#include "lock/core/limits.hpp"

namespace fixkeep::wire::limits {

// Nodes with different versions refuse the link and report it: docs/change.md, Upgrading a cluster.
inline constexpr std::uint32_t protocol_version = 2;

inline constexpr std::size_t frame_bytes = 4U << 20U;  // payload of one frame, without its prefix
inline constexpr std::size_t id_bytes = 128;           // player, worker, zone, mode
inline constexpr std::size_t group_bytes = lock::limits::key_bytes;  // a group key
inline constexpr std::size_t request_id_bytes = 128;
inline constexpr std::size_t address_bytes = 255;
inline constexpr std::size_t ports = 17;  // ports of a room: the first, 8 named, 8 nameless
inline constexpr std::size_t port_name_bytes = 64;
inline constexpr std::size_t lock_value_bytes = lock::limits::value_bytes;
inline constexpr std::size_t claims = 4096;          // claims in one SeatRequest or SpawnRoom
inline constexpr std::size_t party = 64;             // players in the claim of a party
inline constexpr std::size_t brings_bytes = 512;     // Claim::brings of one player
inline constexpr std::size_t lent_claims = 512;      // claims in one ClaimsPart
inline constexpr std::size_t passed = 65'536;        // claims in one CloseLoan
inline constexpr std::size_t explained = 256;        // explanations in one CloseLoan
inline constexpr std::size_t refusers = 9;           // rules that refuse, in one explanation
inline constexpr std::size_t roles = 6;              // roles of one mode
inline constexpr std::size_t capacity = 10'000;      // seats of one room
inline constexpr std::size_t metadata_bytes = 4096;  // metadata of one match
inline constexpr std::size_t result_bytes = 4096;    // result of one room
inline constexpr std::size_t player_attributes_bytes = 1024;  // attributes of one of its players
inline constexpr std::size_t match_bytes = 48U << 10U;        // all facts of one match
inline constexpr std::size_t rooms = 20'000;                  // rooms of one worker
inline constexpr std::size_t players = 320'000;               // players in all rooms of one worker
inline constexpr std::size_t modes = 256;
inline constexpr std::size_t call_target_bytes = 1024;  // in an OperatorCall
inline constexpr std::size_t call_body_bytes = 4096;
inline constexpr std::size_t call_answer_bytes = 256U << 10U;
inline constexpr std::size_t reason_bytes = 200;           // reason of a paused mode
inline constexpr std::size_t hints = 64;                   // rooms in one lock value
inline constexpr std::uint64_t counter = largest_counter;  // counter of a token; a round of a lock
inline constexpr std::uint64_t worker_time_us = 1ULL << 62U;

static_assert(lock::limits::message_bytes < frame_bytes && lock::limits::worker_bytes == id_bytes);

}  // namespace fixkeep::wire::limits
