// Calls of the game to its worker's SDK: one keep-alive connection, one call at a time, in order.
//
// Not blocking, driven by the game's own loop through want_write(), descriptor() and serve(). Small
// on purpose: the game is started 32 times at once, and an HTTP library costs more than the game.
// Fault model: the worker may be slow or gone; then every call waiting is answered "no" and
// broken() is true for good, since a room without its worker has no seats to give. Thread rule: one
// owner. Bounds: 64 KiB an answer.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace fixkeep::game {

class SdkClient {
 public:
  // `ok`: status 200, and the answer does not say {"bool":false}.
  using Answered = std::function<void(bool ok)>;

  explicit SdkClient(std::uint16_t port);
  ~SdkClient();
  SdkClient(const SdkClient&) = delete;
  SdkClient& operator=(const SdkClient&) = delete;

  void call(std::string_view path, std::string body, Answered answered);

  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] bool want_write() const { return !unsent_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }
  void serve();  // the socket may be readable or writable

 private:
  struct Call {
    std::string bytes;
    Answered answered;
  };
  void start_next();
  void write_some();
  void read_some();
  bool take_answer();
  void fail();

  int socket_ = -1;
  bool broken_ = false;
  bool under_way_ = false;
  std::deque<Call> calls_;
  std::string unsent_;
  std::string received_;
};

// {"playerID":"…"}
[[nodiscard]] std::string player_body(std::string_view player);

}  // namespace fixkeep::game
