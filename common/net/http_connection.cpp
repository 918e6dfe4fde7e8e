#include "common/net/http_connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/verb.hpp>

#include "common/base/assert.hpp"
#include "common/net/http_answer.hpp"

namespace fixkeep::net {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::size_t first_input_bytes = 2048;  // a match request fits; 20 000 of them are 40 MB
constexpr std::size_t kept_output_bytes = 16 * 1024;
constexpr std::size_t discard_bytes_most = 8U << 20U;
constexpr auto discard_time = 2000ms;
constexpr auto half_close_grace = 1000ms;

}  // namespace

// --- the hub
// --------------------------------------------------------------------------------------

HttpHub::HttpHub(HttpOptions given_options, HttpServer::Handler given_handler)
    : options(std::move(given_options)),
      handler(std::move(given_handler)),
      date(http_date()),
      tick_every(
          std::clamp(std::min(options.request_timeout, options.idle_timeout) / 8, 10ms, 1000ms)) {}

std::uint64_t HttpHub::deadline(std::chrono::milliseconds wait) const {
  // One tick more than needed: the present one has begun already.
  return tick + 1 + static_cast<std::uint64_t>((wait + tick_every - 1ms) / tick_every);
}

void HttpHub::remove(const HttpConnection& connection) {
  const std::size_t slot = connection.slot_;
  FIXKEEP_ASSERT(slot < connections.size() && connections[slot].get() == &connection,
                 std::to_string(slot));
  connections.back()->slot_ = slot;
  std::swap(connections[slot], connections.back());
  connections.pop_back();
}

void HttpHub::check_deadlines() {
  // Backwards, since a connection that is closed gives its slot to the last one.
  for (std::size_t i = connections.size(); i-- > 0;) {
    const auto connection = connections[i];
    connection->check_deadline();
  }
}

void HttpHub::close_all() {
  while (!connections.empty()) {
    const auto connection = connections.back();
    connection->close();
  }
}

// --- a connection
// ---------------------------------------------------------------------------------

HttpConnection::HttpConnection(HttpSocket socket, std::shared_ptr<HttpHub> hub)
    : socket_(std::move(socket)), hub_(std::move(hub)), slot_(hub_->connections.size()) {
  deadline_ = hub_->deadline(hub_->options.idle_timeout);
}

void HttpConnection::start() {
  read();
}

void HttpConnection::turn_away() {
  refuse(503, "too-many-connections", "This server has too many connections; try another master.");
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  on_hang_up_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
  hub_->remove(*this);
}

void HttpConnection::check_deadline() {
  if (hub_->tick < deadline_) return;
  switch (phase_) {
    case Phase::receiving:
      if (parser_) {
        refuse(408, "request-timeout", "The request did not arrive in time.");
      } else {
        close();  // idle
      }
      return;
    case Phase::answering: return;
    case Phase::writing:
    case Phase::discarding: close(); return;
    case Phase::closed: return;
  }
}

// --- reading
// --------------------------------------------------------------------------------------

void HttpConnection::read() {
  if (reading_ || ended_) return;
  if (!has_input()) input_begin_ = input_end_ = 0;
  if (input_.empty()) input_.resize(first_input_bytes);
  if (input_end_ == input_.size()) {
    // A header must be whole before it is parsed, so the buffer grows up to its limit. The parser
    // refuses the header that fills it.
    if (input_begin_ > 0) {
      input_.erase(0, input_begin_);
      input_end_ -= input_begin_;
      input_begin_ = 0;
    }
    input_.resize(std::max(input_.size(), std::min(2 * input_end_ + first_input_bytes,
                                                   hub_->options.header_bytes + 1)));
    if (input_end_ == input_.size()) input_.resize(input_end_ + first_input_bytes);
  }
  reading_ = true;
  socket_.async_read_some(
      boost::asio::buffer(input_.data() + input_end_, input_.size() - input_end_),
      [self = shared_from_this()](error_code error, std::size_t bytes) {
        self->handle_read(error, bytes);
      });
}

void HttpConnection::handle_read(error_code error, std::size_t bytes) {
  reading_ = false;
  if (phase_ == Phase::closed) return;
  if (error) {
    handle_end_of_reads(error);
    return;
  }
  if (phase_ == Phase::discarding) {
    discarded_ += bytes;
    if (discarded_ > discard_bytes_most) {
      close();
    } else {
      read();
    }
    return;
  }
  input_end_ += bytes;
  serve_what_is_buffered();
}

void HttpConnection::handle_end_of_reads(error_code error) {
  ended_ = true;
  switch (phase_) {
    case Phase::receiving:
    case Phase::discarding: close(); return;
    case Phase::writing:
      if (error != boost::asio::error::eof) close();
      return;
    case Phase::answering: {
      const bool may_half_close =
          !keep_alive_ && hub_->tick <= request_tick_ + 1 + half_close_grace / hub_->tick_every;
      if (error == boost::asio::error::eof && may_half_close) return;
      const auto handler = std::exchange(on_hang_up_, nullptr);
      close();
      if (handler) handler();
      return;
    }
    case Phase::closed: return;
  }
}

// A loop and not a recursion through answer(): a client may pipeline any number of requests.
void HttpConnection::serve_what_is_buffered() {
  if (serving_) return;
  serving_ = true;
  while (phase_ == Phase::receiving && has_input()) {
    if (!parse()) break;
  }
  serving_ = false;
  const bool held_back = (phase_ == Phase::answering || phase_ == Phase::writing) && has_input();
  if (phase_ != Phase::closed && !held_back) read();
}

bool HttpConnection::looks_like_a_request() const {
  for (std::size_t i = input_begin_; i < input_end_; ++i) {
    const char c = input_[i];
    if (c == ' ') return i > input_begin_;
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    if (!letter || i > input_begin_ + 32) return false;
  }
  return true;  // so far
}

bool HttpConnection::parse() {
  if (!parser_) {
    while (has_input() && (input_[input_begin_] == '\r' || input_[input_begin_] == '\n')) {
      ++input_begin_;  // RFC 9112, 2.2: some clients send an empty line after a body
    }
    if (!has_input()) return false;
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(static_cast<std::uint32_t>(hub_->options.header_bytes));
    parser_->body_limit(hub_->options.body_bytes);
    taken_ = 0;
    continued_ = false;
    deadline_ = hub_->deadline(hub_->options.request_timeout);
  }
  while (has_input()) {
    // Otherwise random bytes would be read up to the limit and then be called a header too large.
    if (taken_ == 0 && !looks_like_a_request()) {
      refuse(make_error_code(http::error::bad_method));
      return false;
    }
    error_code error;
    const std::size_t parsed = parser_->put(
        boost::asio::buffer(input_.data() + input_begin_, input_end_ - input_begin_), error);
    input_begin_ += parsed;
    taken_ += parsed;
    // The parser holds a single piece against its limit, and takes any number of pieces.
    if (!parser_->is_header_done() && taken_ > hub_->options.header_bytes) {
      error = http::error::header_limit;
    }
    if (error == http::error::need_more) break;
    if (error) {
      refuse(error);
      return false;
    }
    if (parser_->is_done()) {
      dispatch();
      return true;
    }
  }
  if (parser_->is_header_done() && !continued_) {
    continued_ = true;
    if (parser_->get()[http::field::expect] == "100-continue") {
      // 25 bytes into an empty socket buffer: if they do not fit, the client is gone.
      error_code ignored;
      socket_.write_some(boost::asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), ignored);
    }
  }
  return false;
}

void HttpConnection::dispatch() {
  HttpRequest request = parser_->release();
  parser_.reset();
  keep_alive_ = request.keep_alive();
  head_only_ = request.method() == http::verb::head;
  old_client_ = request.version() < 11;
  ++request_;
  request_tick_ = hub_->tick;
  phase_ = Phase::answering;
  hub_->handler(std::move(request), HttpResponder{weak_from_this(), request_});
}

// --- answering
// ------------------------------------------------------------------------------------

void HttpConnection::answer(std::uint64_t request, HttpAnswer&& answer) {
  if (phase_ != Phase::answering || request != request_) return;
  on_hang_up_ = nullptr;
  begin_writing(answer, head_only_, old_client_);
}

void HttpConnection::on_hang_up(std::uint64_t request, std::function<void()> handler) {
  if (phase_ == Phase::answering && request == request_) on_hang_up_ = std::move(handler);
}

void HttpConnection::refuse(unsigned status, std::string_view type, std::string_view detail) {
  const auto reason = http::obsolete_reason(http::int_to_status(status));
  keep_alive_ = false;
  parser_.reset();
  begin_writing(problem(status, type, {reason.data(), reason.size()}, detail), false, false);
}

void HttpConnection::refuse(error_code parse_error) {
  if (parse_error == http::error::header_limit) {
    refuse(431, "header-too-large", "The header exceeds the limit of this server.");
  } else if (parse_error == http::error::body_limit) {
    refuse(413, "body-too-large", "The body exceeds the limit of this server.");
  } else {
    refuse(400, "malformed-http", "This is not HTTP/1.1: " + parse_error.message() + ".");
  }
}

void HttpConnection::begin_writing(const HttpAnswer& answer, bool head_only, bool old_client) {
  keep_alive_ = keep_alive_ && !ended_ && !hub_->stopping;
  const HttpAnswerForm form{.date = hub_->date,
                            .keep_alive = keep_alive_,
                            .old_client = old_client,
                            .head_only = head_only};
  write_answer(answer, form, output_);
  phase_ = Phase::writing;
  deadline_ = hub_->deadline(hub_->options.request_timeout);
  write(0);
}

// Nearly every answer fits the socket's buffer: sent at once, it needs no operation and no second
// turn of the event loop, which is worth a tenth of the whole request.
void HttpConnection::write(std::size_t from) {
  error_code error;
  from +=
      socket_.write_some(boost::asio::buffer(output_.data() + from, output_.size() - from), error);
  if (error && error != boost::asio::error::would_block) {
    close();
  } else if (from == output_.size()) {
    handle_written();
  } else {
    boost::asio::async_write(socket_,
                             boost::asio::buffer(output_.data() + from, output_.size() - from),
                             [self = shared_from_this()](error_code write_error, std::size_t) {
                               if (self->phase_ != Phase::writing) return;
                               if (write_error) {
                                 self->close();
                               } else {
                                 self->handle_written();
                               }
                             });
  }
}

void HttpConnection::handle_written() {
  if (output_.capacity() > kept_output_bytes) std::string{}.swap(output_);
  if (!keep_alive_) {
    discard();
    return;
  }
  if (ended_) {
    close();
    return;
  }
  phase_ = Phase::receiving;
  deadline_ = hub_->deadline(hub_->options.idle_timeout);
  if (serving_ || !has_input()) return;  // the loop goes on, or the read is outstanding
  // Not from here: answer() must not call the handler of the next request.
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->phase_ == Phase::receiving) self->serve_what_is_buffered();
  });
}

// Closing a socket that holds unread bytes resets the connection, and the client may lose the
// answer that explains why: RFC 9112, 9.6.
void HttpConnection::discard() {
  if (ended_) {
    close();
    return;
  }
  phase_ = Phase::discarding;
  deadline_ = hub_->deadline(discard_time);
  error_code ignored;
  socket_.shutdown(HttpSocket::shutdown_send, ignored);
  input_begin_ = input_end_ = 0;
  if (!reading_) read();
}

// --- a responder
// ----------------------------------------------------------------------------------

HttpResponder::HttpResponder(std::weak_ptr<HttpConnection> connection, std::uint64_t request)
    : connection_(std::move(connection)), request_(request) {}

void HttpResponder::answer(HttpAnswer answer) const {
  if (const auto connection = connection_.lock()) connection->answer(request_, std::move(answer));
}

void HttpResponder::on_hang_up(std::function<void()> handler) const {
  if (const auto connection = connection_.lock()) {
    connection->on_hang_up(request_, std::move(handler));
  }
}

}  // namespace fixkeep::net
