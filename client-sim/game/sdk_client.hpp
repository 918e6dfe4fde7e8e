// Calls of the game to its worker's SDK: one keep-alive connection and one call at a time in order.
//
// It does not block. The game's own loop drives it through want_write(), descriptor() and serve().
// It is small on purpose: the game is started 32 times at once and an HTTP library costs more than
// the game. Fault model: the worker may be slow or replaced by its next run. A broken connection is
// dialled again and the pending call is repeated. Without a worker its keeper lets the connection
// wait. In a container the port is closed then and in its first milliseconds: it is dialled again
// every `between_dials`. The client gives up when the port was closed for `patience` or a
// connection broke `most_fruitless` times without an answer. The clients of Agones try for as long
// as `patience`. Then waiting calls are answered "no" and broken() stays true: a room without its
// worker has no seats to give. Thread rule: one owner. Bounds: 64 KiB an answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::game {

struct SdkAddress {
  std::uint32_t host = 0x7f000001;  // an address of IPv4, the loopback's
  std::uint16_t port = 0;           // 0: there is no SDK, and every call is answered with "yes"
  std::string token;                // token of each call; empty: none
};

class SdkClient {
 public:
  // `ok`: status 200 and the answer is not {"bool":false}. A repeated call may have that answer: it
  // was heard the first time.
  using Answered = std::function<void(bool ok)>;

  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_dials{20};
  static constexpr std::chrono::seconds patience{30};

  explicit SdkClient(SdkAddress address);
  ~SdkClient();
  SdkClient(const SdkClient&) = delete;
  SdkClient& operator=(const SdkClient&) = delete;

  void call(std::string_view path, std::string body, Answered answered);

  // Another one after each dial; -1: it will be dialled again.
  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] std::uint32_t dials() const { return dials_; }
  [[nodiscard]] bool want_write() const { return !unsent_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }
  void serve();  // the socket may be readable or writable
  // No value: no dial is due.
  [[nodiscard]] std::optional<Clock::time_point> next_dial() const { return next_dial_; }
  void look_at_clock(Clock::time_point now);

 private:
  static constexpr int most_fruitless = 10;

  struct Call {
    std::string bytes;
    Answered answered;
  };
  void dial();
  void lost();
  void refused();
  void start_next();
  void write_some();
  void read_some();
  bool take_answer();
  void fail();
  void answer_all(bool ok);

  SdkAddress address_;
  int socket_ = -1;
  std::uint32_t dials_ = 0;
  int fruitless_ = 0;  // connections that broke since the last answer
  std::optional<Clock::time_point> refused_since_;
  std::optional<Clock::time_point> next_dial_;
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
