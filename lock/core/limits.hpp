// Bounds of the lock messages between masters. A message beyond any bound is malformed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/ids.hpp"

namespace fixkeep::lock::limits {

inline constexpr std::size_t key_bytes = 512;
inline constexpr std::size_t value_bytes = 4096;           // bytes of a LockValue
inline constexpr std::size_t outstanding = 256;            // locks in one part of a MeshHello
inline constexpr std::size_t workers = 20'000;             // workers in one part of a MeshHello
inline constexpr std::size_t worker_bytes = 128;           // a worker's name
inline constexpr std::size_t masters = 64;                 // masters of one mesh
inline constexpr std::uint64_t counter = largest_counter;  // counter of a token; round of a lock

// Length of the longest message. A LockMessage of a MeshHello has fewer than 100 bytes besides its
// key and its value: it has no turns.
inline constexpr std::size_t message_bytes =
    outstanding * (key_bytes + value_bytes + 100) + workers * (worker_bytes + 3) + masters * 3;

}  // namespace fixkeep::lock::limits
