// Counts the bytes that a LockMessage takes on a link, length prefix included, without encoding it.
//
// Encoding every message twice only to count it would double the cost of a lock. The exact size
// follows from the rules of Protocol Buffers: a scalar that is zero is left out, a number takes a
// byte for every seven bits, everything else has its length before it. The test compares it with
// wire::append_frame() on random messages.
// Thread rule: free functions without state.
#pragma once

#include <cstddef>

#include "common/wire/messages.hpp"

namespace fixkeep::lock {

[[nodiscard]] std::size_t frame_size(const wire::LockMessage& message);

}  // namespace fixkeep::lock
