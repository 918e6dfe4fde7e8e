// Turns the messages of a mesh into bytes and back. The format is Protocol Buffers (lock.proto);
// the Protocol Buffers library is not used. A driver frames the bytes.
//
// parse() replaces `out`. It trusts no input and never throws: a message beyond the bounds of
// limits.hpp is malformed. Unknown fields are skipped. append() asserts the bounds of limits.hpp
// because only a bug in our code can exceed these bounds. Two bounds are not asserted because peers
// can exceed them: the round of a lock and the workers of a MeshHello.
// Thread rule: free functions without state. Errors: parse() returns false if the message is
// malformed; `out` is then unspecified.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lock/core/messages.hpp"

namespace fixkeep::lock {

void append(const LockMessage& message, std::string& out);
void append(const MeshHello& hello, std::string& out);
void append(const MasterList& list, std::string& out);
// Appends one of the three messages and its kind, for links that do not mark the kind themselves.
void append(const MeshMessage& message, std::string& out);

[[nodiscard]] bool parse(std::string_view bytes, LockMessage& out);
[[nodiscard]] bool parse(std::string_view bytes, MeshHello& out);
[[nodiscard]] bool parse(std::string_view bytes, MasterList& out);
[[nodiscard]] bool parse(std::string_view bytes, MeshMessage& out);

// Returns the number of bytes that a LockMessage takes on a link, including the frame's prefix of
// four bytes.
[[nodiscard]] std::size_t frame_size(const LockMessage& message);

}  // namespace fixkeep::lock
