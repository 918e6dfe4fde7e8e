// The reader makes replies of the bytes of a Redis server: it is that of hiredis, for replies like
// ours.
//
// hiredis makes room for an array when it reads how many elements will follow, which is any number
// that the server says: 13 bytes would be 17 GB. And it keeps what it has of a reply that never
// ends. No script of ours answers with more than one flat array.
// Thread rule: one owner. Bounds: most_reply_elements of a reply, in one array; the bytes of one
// element that has not come to its end are the caller's to bound. Errors: those of hiredis.
#pragma once

#include <cstddef>
#include <memory>

struct redisReader;

namespace fixkeep::engine {

inline constexpr int most_reply_elements = 16;

using ReplyReader = std::unique_ptr<redisReader, void (*)(redisReader*)>;

[[nodiscard]] ReplyReader make_reply_reader();

}  // namespace fixkeep::engine
