// One session of ZooKeeper: the single-threaded C library (zookeeper_st) on an io_context.
//
// The library names the socket that it wants to read or write, and the longest wait
// (zookeeper_interest). The library works only in zookeeper_process(), and never blocks there. We
// resolve host names before the library gets them and omit names that are not resolved in time. We
// close the session with our own frame because zookeeper_close() would wait for the server. The
// library's log is off.
//
// By our own clock, the session lives for the time that the server granted. This time starts when
// we send a request that the server answers. During this time we send three small requests to keep
// the session alive. A request without an answer within `reply` ends the connection. The library
// then tries the next server.
//
// Invariants: 1. The handler of a request is called exactly once, unless the client is closed
//                before that. It is never called from within the request.
//             2. Requests are carried out and answered in their order while the connection lasts.
//                Open requests end with ZCONNECTIONLOSS when the connection breaks.
//             3. After on_over no handler is called.
// Thread rule: the thread of the io_context. All clients of a process use one thread because the
// library has global state. Bounds: those of the caller. Errors: codes of zookeeper.h;
// ZCONNECTIONLOSS if the server may or may not have carried out the request.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

struct ZookeeperReply {
  int code = 0;
  std::string text;                   // create: the path; read: the data
  std::vector<std::string> children;  // list: the names
  std::uint64_t created = 0;          // create: czxid
};

struct ZookeeperClientOptions {
  std::vector<ServerAddress> servers;
  Duration session{std::chrono::seconds{5}};
  Duration reply{std::chrono::seconds{1}};
  std::string username;  // empty: none
  std::string password;
};

class ZookeeperClient {
 public:
  using Handler = std::function<void(const ZookeeperReply&)>;
  // Says which clusters may make nodes below a new node.
  enum class ForWhom : std::uint8_t { our_cluster, all_clusters };
  struct Handlers {
    std::function<void()> on_connected;     // the session is open, or connected again
    std::function<void()> on_disconnected;  // the library searches for a server
    std::function<void()> on_over;          // the session has ended, or could not be opened
  };

  ZookeeperClient(boost::asio::io_context& context, ZookeeperClientOptions options,
                  EngineStatistics& statistics, Handlers handlers);
  ZookeeperClient(const ZookeeperClient&) = delete;
  ZookeeperClient& operator=(const ZookeeperClient&) = delete;
  ~ZookeeperClient();

  // REQUIRES for every request: connected(). create_sequential() makes an ephemeral node; the
  // server appends 10 digits to its name.
  void create_sequential(const std::string& path, Handler handler);
  void create_container(const std::string& path, ForWhom whom, Handler handler);
  void list(const std::string& path, Handler handler);
  void read(const std::string& path, Handler handler);
  // `on_gone` is called once when an existing node changes or is deleted.
  void watch(const std::string& path, Handler handler, std::function<void()> on_gone);
  void remove(const std::string& path, Handler handler);
  void write_and_remove(const std::string& write_path, const std::string& data,
                        const std::string& remove_path, Handler handler);

  [[nodiscard]] bool connected() const;
  [[nodiscard]] bool alive() const;  // the session is certainly open, by our clock
  void refresh_statistics();         // updates the bytes

  // Ends the session at the server. `done` is called once when the server has the message or is
  // unreachable. REQUIRES: no caller waits for an outstanding request.
  void say_goodbye(std::function<void()> done);
  void close();  // ends without a message to the server

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
