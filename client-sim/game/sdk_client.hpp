// Sends the game's calls to its worker's SDK: one keep-alive connection, one call at a time, in
// order.
//
// It does not block. The game's own loop calls want_write(), descriptor() and serve(). It uses no
// HTTP library: 32 games start together, and a library would cost more than the game itself.
// Fault model: the worker can be slow, or can end and start again. A broken connection is dialled
// again and the pending call is repeated. While there is no worker, the game's keeper accepts the
// connection, and the call waits. For a game in a container, the port is closed while there is no
// worker, and during the first milliseconds. While the port is closed, the client dials again every
// `between_dials`. It gives up if the port was closed for `patience`, or if connections broke more
// than `most_fruitless` times without an answer. After that, waiting calls are answered "no" and
// broken() remains true, because a room without its worker has no seats to give. The clients of
// Agones give up after the same time. Thread rule: one owner. Bounds: 64 KiB an answer.
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
  std::uint32_t host = 0x7f000001;  // IPv4 address; the default is loopback
  std::uint16_t port = 0;           // 0: there is no SDK, and every call is answered "yes"
  std::string token;                // sent with each call; empty: no token
};

class SdkClient {
 public:
  // `ok`: the status is 200 and the answer is not {"bool":false}. If the call was repeated,
  // {"bool":false} is also ok, because it shows that the worker received the first call.
  using Answered = std::function<void(bool ok)>;

  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_dials{20};
  static constexpr std::chrono::seconds patience{30};

  explicit SdkClient(SdkAddress address);
  ~SdkClient();
  SdkClient(const SdkClient&) = delete;
  SdkClient& operator=(const SdkClient&) = delete;

  void call(std::string_view path, std::string body, Answered answered);

  // Returns the socket, which is new after each dial. -1: closed until the next dial.
  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] std::uint32_t dials() const { return dials_; }
  [[nodiscard]] bool want_write() const { return !unsent_.empty(); }
  [[nodiscard]] bool broken() const { return broken_; }
  void serve();  // call when the socket may be readable or writable
  // Time of the next dial. No value: no dial is due.
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
  bool repeated_ = false;  // the active call was sent before on a broken connection
  bool broken_ = false;
  bool under_way_ = false;
  std::deque<Call> calls_;
  std::string unsent_;
  std::string received_;
};

// Returns {"playerID":"…"}.
[[nodiscard]] std::string player_body(std::string_view player);

}  // namespace fixkeep::game
