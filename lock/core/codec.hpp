// Turns the messages of a mesh into bytes and back. The bytes are Protocol Buffers (lock.proto),
// without its library. A driver sends them in frames of its own.
//
// parse() replaces `out`. It trusts nothing and never throws: a message beyond limits.hpp is
// malformed. It passes over fields that it does not know. append() asserts the bounds: our own
// message beyond them is our bug. It does not assert two bounds that peers can exceed: the round of
// a lock and the workers of a MeshHello.
// Thread rule: free functions without state. Errors: parse() returns false if the message is
// malformed; `out` has no meaning then.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lock/core/messages.hpp"

namespace fixkeep::lock {

void append(const LockMessage& message, std::string& out);
void append(const MeshHello& hello, std::string& out);
void append(const MasterList& list, std::string& out);
// Writes the kind too, for links where nothing else tells the three kinds apart.
void append(const MeshMessage& message, std::string& out);

[[nodiscard]] bool parse(std::string_view bytes, LockMessage& out);
[[nodiscard]] bool parse(std::string_view bytes, MeshHello& out);
[[nodiscard]] bool parse(std::string_view bytes, MasterList& out);
[[nodiscard]] bool parse(std::string_view bytes, MeshMessage& out);

// The bytes that a LockMessage takes on a link in a frame with a prefix of four bytes, counted
// without encoding it.
[[nodiscard]] std::size_t frame_size(const LockMessage& message);

}  // namespace fixkeep::lock
