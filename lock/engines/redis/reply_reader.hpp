// The reader makes replies from the bytes of a Redis server. It is hiredis' reader, limited to
// replies like ours.
//
// hiredis makes room for an array as soon as it reads the number of elements. The server may say
// any number: 13 bytes would be 17 GB. It also keeps the beginning of a reply that never ends. No
// script of ours answers with more than one flat array.
// Thread rule: one owner. Bounds: most_reply_elements in one array. The caller bounds the bytes of
// an unfinished element. Errors: hiredis'.
#pragma once

#include <cstddef>
#include <memory>

struct redisReader;

namespace fixkeep::engine {

inline constexpr int most_reply_elements = 16;

using ReplyReader = std::unique_ptr<redisReader, void (*)(redisReader*)>;

[[nodiscard]] ReplyReader make_reply_reader();

}  // namespace fixkeep::engine
