// Makes replies from the bytes of a Redis server. It is hiredis' reader with limits for the replies
// that we need.
//
// hiredis allocates an array as soon as it reads the number of elements. A server can send any
// number: 13 bytes can demand 17 GB. hiredis also stores the bytes of a reply that never ends. All
// our scripts answer with at most one flat array.
// Thread rule: one owner. Bounds: most_reply_elements in one array. The caller bounds the bytes of
// an unfinished element. Errors: those of hiredis.
#pragma once

#include <memory>

struct redisReader;

namespace fixkeep::engine {

inline constexpr int most_reply_elements = 16;

using ReplyReader = std::unique_ptr<redisReader, void (*)(redisReader*)>;

[[nodiscard]] ReplyReader make_reply_reader();

}  // namespace fixkeep::engine
