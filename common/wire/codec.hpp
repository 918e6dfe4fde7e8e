// Messages to bytes and back: Protocol Buffers inside a frame of a 4-byte big-endian length.
//
// decode() never throws and never trusts: it checks every field against limits.hpp. An enumerator
// out of range, a missing body or one of another direction is Errc::malformed_message.
// append_frame() asserts the same limits except the few that peers can exhaust: a message of ours
// beyond them is our bug. Thread rule: free functions without state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::wire {

// Appends one frame with its prefix. A sender gathers all waiting frames in one buffer.
void append_frame(const Message& message, std::string& out);

// `payload` is a frame without its prefix. Direction is one of the three of a Message.
template <class Direction>
[[nodiscard]] Result<Direction> decode(std::string_view payload);

// The last frame of a link that its sender closes for this reason. decode() gives the reason as its
// error. REQUIRES: is_told(reason).
[[nodiscard]] std::string closing_frame(Errc reason);
[[nodiscard]] bool is_told(Errc reason);

// The length that a frame's prefix announces. Errc::frame_too_large beyond limits::frame_bytes.
inline constexpr std::size_t prefix_bytes = 4;
[[nodiscard]] Result<std::size_t> payload_length(std::string_view prefix);

// The contents of our lock values. encode_hints() keeps the first limits::hints hints and fewer if
// the bytes would not fit limits::lock_value_bytes.
[[nodiscard]] std::string encode_hints(std::span<const RoomHint> hints);
// Whether encode_hints() includes all of them.
[[nodiscard]] bool hints_fit(std::span<const RoomHint> hints);
[[nodiscard]] Result<std::vector<RoomHint>> decode_hints(std::string_view bytes);

}  // namespace fixkeep::wire
