// One client's connection to an HttpServer, and the hub: the parts that all connections of a server
// share.
//
// Internal to HttpServer. A connection is in one phase at a time:
//   receiving   a request is expected or arriving
//   answering   the handler has the request
//   writing     a rest of the answer waits for the socket's buffer
//   streaming   an answer without an end is being sent
//   discarding  the last answer is sent and our side is shut; reads until the client closes too
//   closed      removed from its server
//
// Invariants: 1. `deadline` is set in every phase except answering and idle streaming. The handler
//                decides how long an answer may take.
//             2. at most one read and one write are outstanding.
//             3. while a request waits for its answer, the connection begins to read after at most
//                10 ms (`watch_after`). If the client has ended its output, the connection waits
//                for a reset instead. So the connection notices late that a client has left, but
//                never misses this. Most answers are ready sooner; to watch their clients too would
//                cost a third of all system calls.
//             4. a connection is quiet (connections_by_client.hpp) unless it is answering or
//                streaming, its last request called keep_connection(), or it is turned away.
//             5. the hub owns every connection that is not closed. An outstanding operation cannot
//                be the owner, because a pipelined request has no operation until the loop's next
//                turn.
// Thread rule: that of HttpServer. Bounds: HttpOptions; `held_back_most()`, `discard_bytes_most`.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/net/http/connections_by_client.hpp"
#include "common/net/http/request_parser.hpp"
#include "common/net/http/server.hpp"
#include "common/net/http/transport.hpp"

namespace fixkeep::net {

class HttpConnection;

using HttpTimer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>,
                                      boost::asio::io_context::executor_type>;

// All connections of one server, with their common clock and limits.
struct HttpHub : std::enable_shared_from_this<HttpHub> {
  HttpTimer watch;
  HttpOptions options;
  HttpServer::Handler handler;
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: plain HTTP
  std::vector<std::shared_ptr<HttpConnection>> connections;
  ConnectionsByClient<HttpConnection*> by_client;
  std::vector<std::shared_ptr<HttpConnection>> to_read;   // to be read at the end of this turn
  std::vector<std::shared_ptr<HttpConnection>> to_watch;  // see invariant 3
  std::size_t turned_away = 0;                            // refused connections that are still open
  std::uint64_t displaced = 0;           // connections closed for newer connections
  std::string date;                      // value of the Date field, refreshed with every tick
  std::chrono::milliseconds tick_every;  // interval of the coarse timer
  std::uint64_t tick = 1;                // ticks so far
  HttpServer::Responses responses{};
  bool stopping = false;  // each answer is the last on its connection

  HttpHub(boost::asio::io_context& context, HttpOptions given_options,
          HttpServer::Handler given_handler);

  // Returns a tick at which the whole time `wait` has surely passed.
  [[nodiscard]] std::uint64_t deadline(std::chrono::milliseconds wait) const;

  void renew(const std::shared_ptr<HttpsCertificate>& certificate);  // null: HTTP is plain
  void add(const std::shared_ptr<HttpConnection>& connection);
  void remove(HttpConnection& connection);
  // Returns true if there is a place for one more connection of `client`. If necessary, closes the
  // connection that connections_by_client.hpp chooses.
  [[nodiscard]] bool has_place_for(const boost::asio::ip::address& client);
  void read_soon(HttpConnection& connection);
  void watch_later(HttpConnection& connection);
  void check_deadlines();
  void close_all();
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpSocket socket, const boost::asio::ip::address& client,
                 std::shared_ptr<HttpHub> hub);

  void start();  // reads the first request
  // Answers 503: too many connections. If a handler has a request of this connection, on_hang_up is
  // called. Exception: a TLS connection whose request is not complete is closed without an answer.
  void turn_away();
  void close();
  void check_deadline();

  void answer(std::uint64_t request, HttpAnswer&& answer);
  void keep(std::uint64_t request);
  void on_hang_up(std::uint64_t request, std::function<void()> handler);
  std::optional<boost::asio::ip::tcp::socket> take_over(std::uint64_t request);
  bool begin_stream(std::uint64_t request, std::string_view content_type);
  bool send_more(std::shared_ptr<const std::string>&& bytes);
  void end_stream();
  [[nodiscard]] bool waits_for_answer() const { return phase_ == Phase::answering; }
  [[nodiscard]] bool is_streaming() const { return phase_ == Phase::streaming; }
  [[nodiscard]] const boost::asio::ip::address& client() const { return client_; }

 private:
  friend struct HttpHub;
  enum class Phase : std::uint8_t { receiving, answering, writing, streaming, discarding, closed };

  // Bytes of a stream that are not sent yet. If `sending` is true, a write of the first bytes is
  // active.
  struct Unsent {
    std::deque<std::shared_ptr<const std::string>> waiting;
    std::size_t bytes = 0;
    std::size_t left = 0;  // unsent bytes of waiting.front(), at the last check
    bool sending = false;
  };

  void read();
  void watch();      // reads while a request waits long for its answer
  void make_room();  // makes room in input_ for the next read
  void handle_read(boost::system::error_code error, std::size_t bytes);
  void handle_end_of_reads(boost::system::error_code error);
  void ask_whether_it_left();
  void hang_up();
  void serve_what_is_buffered();
  bool parse();     // true: the handler got a whole request
  void dispatch();  // passes the parsed request to the handler
  void refuse(const HttpRefusal& refusal);
  void become_quiet();
  void begin_writing(const HttpAnswer& answer, bool head_only, bool old_client);
  void handle_written();
  void send_waiting();
  void look_whether_it_reads();
  void discard();

  [[nodiscard]] bool has_input() const { return input_begin_ < input_end_; }
  [[nodiscard]] std::size_t header_most() const { return hub_->options.header_bytes + 1; }
  // Returns how many bytes may wait while a request is answered: one more request.
  [[nodiscard]] std::size_t held_back_most() const {
    return hub_->options.header_bytes + hub_->options.body_bytes;
  }

  HttpTransport transport_;
  boost::asio::ip::address client_;
  std::shared_ptr<HttpHub> hub_;
  std::size_t slot_ = 0;  // index in hub_->connections
  ConnectionsByClient<HttpConnection*>::Place place_;
  std::uint64_t deadline_ = 0;
  std::uint64_t quiet_tick_;   // when the connection last became quiet
  std::uint64_t request_ = 0;  // number of the request; a late answer has an older number
  std::uint64_t request_tick_ = 0;
  Phase phase_ = Phase::receiving;
  bool turned_away_ = false;
  bool kept_ = false;  // protected during the request and after its answer
  bool reading_ = false;
  bool watched_later_ = false;  // listed in hub_->to_watch
  bool serving_ = false;        // inside serve_what_is_buffered()
  bool ended_ = false;          // the client will send nothing more
  struct {
    bool keep_alive = true;   // kept open after the answer
    bool head_only = false;   // the request is HEAD
    bool old_client = false;  // the request is HTTP/1.0
  } present_;                 // the present request
  HttpRequestParser parser_;
  std::string cross_origin_;  // lines for the head of the present answer
  std::string input_;         // bytes [input_begin_, input_end_) are not parsed yet
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::size_t discarded_ = 0;
  std::string output_;
  std::unique_ptr<Unsent> unsent_;  // unsent bytes of a stream, or null
  std::function<void()> on_hang_up_;
};

}  // namespace fixkeep::net
