// The requests of a ZooKeeper client, from their sending until the client reports their answers.
//
// The library calls back in the middle of its own work. At this point a handler could not even
// close the client. The callbacks therefore only store the answer. The client calls the handler
// afterwards.
//
// Invariants: 1. A request is in `outstanding` or in `done`, never in both.
//             2. The library calls back exactly once for each request that it accepted.
// Thread rule: one owner; not moved while requests are outstanding. Bounds: those of the caller.
// Errors: none.
#pragma once

#include <zookeeper/zookeeper.h>

#include <array>
#include <chrono>
#include <deque>
#include <list>
#include <memory>

#include "lock/engines/zookeeper/client.hpp"

namespace fixkeep::engine {

struct ZookeeperRequests;

// `data` of the callbacks points to the request.
struct ZookeeperRequest {
  ZookeeperRequests* book = nullptr;
  std::list<std::unique_ptr<ZookeeperRequest>>::iterator place;
  ZookeeperClient::Handler handler;
  std::chrono::steady_clock::time_point sent;
  ZookeeperReply reply;
  std::array<zoo_op_result_t, 2> results{};  // results of a multi, like `stat`
  Stat stat{};

  void finish(int code);

  static void void_done(int code, const void* data);
  static void stat_done(int code, const Stat* stat, const void* data);
  static void data_done(int code, const char* value, int size, const Stat* stat, const void* data);
  static void list_done(int code, const String_vector* names, const void* data);
  static void create_done(int code, const char* path, const Stat* stat, const void* data);
};

struct ZookeeperRequests {
  std::list<std::unique_ptr<ZookeeperRequest>> outstanding;  // in the order of sending
  std::deque<std::unique_ptr<ZookeeperRequest>> done;        // in the order of answers

  [[nodiscard]] ZookeeperRequest* make(ZookeeperClient::Handler handler);
  // Sending time of the first outstanding request; max() without one.
  [[nodiscard]] std::chrono::steady_clock::time_point oldest() const;
  void clear();
};

// Counts a failure of the connection. Returns `code`, the result of zookeeper_interest() or
// zookeeper_process().
int count(int code, EngineStatistics& statistics);

// Returns the reason why a session in this final state is over.
[[nodiscard]] std::string_view why_over(int state);

}  // namespace fixkeep::engine
