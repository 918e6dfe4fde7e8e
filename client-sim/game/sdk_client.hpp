// Calls of the game to its worker's SDK: one keep-alive connection, one call at a time, in order.
//
// Not blocking, driven by the game's own loop through want_write(), descriptor() and serve(). Small
// on purpose: the game is started 32 times at once, and an HTTP library costs more than the game.
// Fault model: the worker may be slow, or replaced by its next run: a connection that breaks is
// dialled again, and the call that was under way is made once more. While there is no worker its
// keeper keeps the connection waiting. If nobody listens any more, or a connection breaks
// `most_fruitless` times without an answer, every call waiting is answered "no" and broken() is
// true for good, since a room without its worker has no seats to give. Thread rule: one owner.
// Bounds: 64 KiB an answer.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace fixkeep::game {

class SdkClient {
 public:
  // `ok`: status 200, and the answer does not say {"bool":false}, unless the call was made once
  // more: then that says that it had been heard the first time.
  using Answered = std::function<void(bool ok)>;

  explicit SdkClient(std::uint16_t port);
  ~SdkClient();
  SdkClient(const SdkClient&) = delete;
  SdkClient& operator=(const SdkClient&) = delete;

  void call(std::string_view path, std::string body, Answered answered);

  // Another one after each dial.
  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] std::uint32_t dials() const { return dials_; }
  [[nodiscard]] bool want_write() const { return !unsent_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }
  void serve();  // the socket may be readable or writable

 private:
  static constexpr int most_fruitless = 10;

  struct Call {
    std::string bytes;
    Answered answered;
  };
  void dial();
  void lost();
  void start_next();
  void write_some();
  void read_some();
  bool take_answer();
  void fail();

  std::uint16_t port_;
  int socket_ = -1;
  std::uint32_t dials_ = 0;
  int fruitless_ = 0;      // connections that broke since the last answer
  bool repeated_ = false;  // the call that is under way
  bool broken_ = false;
  bool under_way_ = false;
  std::deque<Call> calls_;
  std::string unsent_;
  std::string received_;
};

// {"playerID":"…"}
[[nodiscard]] std::string player_body(std::string_view player);

}  // namespace fixkeep::game
