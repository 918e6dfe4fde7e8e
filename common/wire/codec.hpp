// Converts messages to bytes and back. A frame is a 4-byte big-endian length and a Protocol Buffers
// message.
//
// decode() never throws and trusts no field: it checks every field against limits.hpp. An unknown
// enumerator, a missing body or a body of another direction is Errc::malformed_message.
// append_frame() asserts the same limits, because a message of ours beyond them is our bug. Limits
// that a peer can exhaust are not asserted, for example the rounds of a lock. Thread rule: free
// functions without state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::wire {

// Appends one frame with its prefix, so that a sender can collect all waiting frames in one buffer.
void append_frame(const Message& message, std::string& out);

// `payload` is a frame without its prefix. Direction is one of the three alternatives of Message.
template <class Direction>
[[nodiscard]] Result<Direction> decode(std::string_view payload);

// Makes the last frame on a link: after this frame, the sender closes the link for `reason`.
// decode() returns the reason as its error. REQUIRES: is_told(reason).
[[nodiscard]] std::string closing_frame(Errc reason);
[[nodiscard]] bool is_told(Errc reason);

// A frame's prefix is its length. Errors: Errc::frame_too_large if beyond limits::frame_bytes.
inline constexpr std::size_t prefix_bytes = 4;
[[nodiscard]] Result<std::size_t> payload_length(std::string_view prefix);

// Encodes the contents of our lock values. Includes at most the first limits::hints hints, and
// fewer if limits::lock_value_bytes would be exceeded.
[[nodiscard]] std::string encode_hints(std::span<const RoomHint> hints);
// True if encode_hints() includes all hints.
[[nodiscard]] bool hints_fit(std::span<const RoomHint> hints);
[[nodiscard]] Result<std::vector<RoomHint>> decode_hints(std::string_view bytes);

}  // namespace fixkeep::wire
