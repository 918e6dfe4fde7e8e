#include "lock/engines/redis/reply_reader.hpp"

#include <hiredis/hiredis.h>

#include <new>
#include <utility>

namespace fixkeep::engine {
namespace {

// hiredis' own functions to make replies, with a limit for the length of an array.
redisReplyObjectFunctions* functions_of_hiredis() {
  static redisReplyObjectFunctions* const functions = [] {
    const ReplyReader plain{redisReaderCreate(), redisReaderFree};
    if (!plain) throw std::bad_alloc{};
    return plain->fn;
  }();
  return functions;
}

// Returns null if the array is nested or too long. The reader then reports an error, which ends the
// connection. `Count` is int in hiredis 0.14 and size_t later.
void* create_array(const redisReadTask* task, auto elements) {
  if (task->parent != nullptr || std::cmp_greater(elements, most_reply_elements)) return nullptr;
  return functions_of_hiredis()->createArray(task, elements);
}

}  // namespace

ReplyReader make_reply_reader() {
  static redisReplyObjectFunctions bounded = [] {
    redisReplyObjectFunctions functions = *functions_of_hiredis();
    functions.createArray = create_array;
    return functions;
  }();
  ReplyReader reader{redisReaderCreateWithFunctions(&bounded), redisReaderFree};
  if (!reader) throw std::bad_alloc{};
  reader->maxbuf = 0;  // otherwise the reader frees its buffer after each reply
  return reader;
}

}  // namespace fixkeep::engine
