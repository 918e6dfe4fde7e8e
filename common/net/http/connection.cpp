#include "common/net/http/connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/beast/http/verb.hpp>

#include "common/base/assert.hpp"
#include "common/net/http/answer.hpp"
#include "common/net/http/cross_origin.hpp"

namespace fixkeep::net {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::size_t first_input_bytes = 2048;  // a match request fits; 20 000 buffers are 40 MB
constexpr std::size_t watched_input_bytes = 64;
constexpr std::size_t kept_input_bytes = 16 * 1024;
constexpr std::size_t kept_output_bytes = 16 * 1024;
constexpr std::size_t discard_bytes_most = 8U << 20U;
constexpr auto discard_time = 2000ms;
constexpr auto half_close_grace = 1000ms;
constexpr std::string_view interim_answer = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

// --- a connection -------------------------------------------------------------------------------

HttpConnection::HttpConnection(HttpSocket socket, const boost::asio::ip::address& client,
                               std::shared_ptr<HttpHub> hub)
    : transport_(std::move(socket), hub->tls),
      client_(client),
      hub_(std::move(hub)),
      slot_(hub_->connections.size()),
      quiet_tick_(hub_->tick),
      parser_(hub_->options) {
  // A handshake counts as part of the first request.
  deadline_ = hub_->deadline(transport_.is_encrypted() ? hub_->options.request_timeout
                                                       : hub_->options.idle_timeout);
}

void HttpConnection::start() {
  read();
}

void HttpConnection::turn_away() {
  turned_away_ = true;
  ++hub_->turned_away;
  hub_->by_client.become(place_, ConnectionUse::kept);
  const auto handler = std::exchange(on_hang_up_, nullptr);
  // Closes without an answer: a TLS handshake only for a refusal would cost too much.
  if (transport_.is_encrypted() && phase_ == Phase::receiving) return close();
  refuse({.status = 503,
          .type = "too-many-connections",
          .detail = "This server has too many connections, of all clients or of this address; try "
                    "another master."});
  if (handler) handler();
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  on_hang_up_ = nullptr;
  error_code ignored;
  transport_.socket().close(ignored);
  hub_->remove(*this);
}

void HttpConnection::check_deadline() {
  if (hub_->tick < deadline_) return;
  switch (phase_) {
    case Phase::receiving:
      if (parser_.state() == HttpRequestParser::State::receiving) {
        refuse({.status = 408,
                .type = "request-timeout",
                .detail = "The request did not arrive in time."});
      } else {
        close();  // idle
      }
      return;
    case Phase::answering: return;
    case Phase::writing:
    case Phase::discarding: close(); return;
    case Phase::streaming: look_whether_it_reads(); return;
    case Phase::closed: return;
  }
}

// --- reading ------------------------------------------------------------------------------------

void HttpConnection::read() {
  if (reading_ || ended_) return;
  make_room();
  reading_ = true;
  transport_.read(input_.data() + input_end_, input_.size() - input_end_,
                  [self = shared_from_this()](error_code error, std::size_t bytes) {
                    self->handle_read(error, bytes);
                  });
}

// Thousands of requests may wait for their answers, and most of their clients send nothing
// meanwhile. Therefore a waiting request keeps only a small buffer.
void HttpConnection::watch() {
  if (reading_ || ended_) return;
  std::string{}.swap(output_);
  if (!has_input()) {
    input_ = std::string(watched_input_bytes, '\0');
    input_begin_ = input_end_ = 0;
  }
  read();
}

// Makes room for at least one more byte. While a request is answered, the buffer grows to at most
// held_back_most() bytes, and a client that fills it is refused. Otherwise the buffer grows to at
// most header_most() bytes: the parser always leaves fewer bytes than this.
void HttpConnection::make_room() {
  if (!has_input()) {
    input_begin_ = input_end_ = 0;
    if (input_.size() > kept_input_bytes) {
      input_.resize(first_input_bytes);
      input_.shrink_to_fit();
    }
  }
  if (!has_input() && phase_ != Phase::answering && input_.size() < first_input_bytes) {
    input_.resize(first_input_bytes);
  }
  if (input_end_ < input_.size()) return;
  if (input_begin_ > 0) {
    const std::size_t size = input_.size();
    input_.erase(0, input_begin_);
    input_.resize(size);
    input_end_ -= input_begin_;
    input_begin_ = 0;
    return;
  }
  const std::size_t most = phase_ == Phase::answering ? held_back_most() : header_most();
  input_.resize(std::min(2 * input_end_ + first_input_bytes, most));
  FIXKEEP_ASSERT(input_end_ < input_.size(), std::to_string(input_end_));
}

void HttpConnection::handle_read(error_code error, std::size_t bytes) {
  reading_ = false;
  if (phase_ == Phase::closed) return;
  if (is_plain_http(error)) {
    transport_.go_on_plain();
    refuse({.type = "https-needed",
            .detail = "This port speaks HTTPS: ask for https:// instead of http://."});
    return;
  }
  if (error) {
    handle_end_of_reads(error);
    return;
  }
  if (phase_ == Phase::discarding || phase_ == Phase::streaming) {
    discarded_ += bytes;
    if (discarded_ > discard_bytes_most) {
      close();
    } else {
      read();
    }
    return;
  }
  input_end_ += bytes;
  if (phase_ == Phase::answering && input_end_ - input_begin_ >= held_back_most()) {
    const auto handler = std::exchange(on_hang_up_, nullptr);
    refuse({.type = "too-much-pipelined",
            .detail = "More was sent than this server holds back while a request waits for its "
                      "answer; send the next request after the answer."});
    if (handler) handler();
    return;
  }
  serve_what_is_buffered();
}

void HttpConnection::handle_end_of_reads(error_code error) {
  ended_ = true;
  switch (phase_) {
    case Phase::receiving:
    case Phase::streaming:
    case Phase::discarding: close(); return;
    case Phase::writing:
      if (error != boost::asio::error::eof) close();
      return;
    case Phase::answering: {
      const bool may_half_close =
          !present_.keep_alive && !present_.old_client &&
          hub_->tick <= request_tick_ + 1 + half_close_grace / hub_->tick_every;
      if (error == boost::asio::error::eof && may_half_close) {
        ask_whether_it_left();
      } else {
        hang_up();
      }
      return;
    }
    case Phase::closed: return;
  }
}

// Sends an interim answer. If the client has closed its socket, its operating system answers these
// bytes with a reset. If the client has ended only its output, it must skip the interim answer (RFC
// 9110 15.2).
void HttpConnection::ask_whether_it_left() {
  if (!transport_.send(interim_answer)) {
    hang_up();
    return;
  }
  transport_.socket().async_wait(HttpSocket::wait_error,
                                 [self = shared_from_this()](error_code failure) {
                                   if (!failure && self->phase_ == Phase::answering)
                                     self->hang_up();
                                 });
}

void HttpConnection::hang_up() {
  const auto handler = std::exchange(on_hang_up_, nullptr);
  close();
  if (handler) handler();
}

// Uses a loop and not a recursion through answer(), because a client may pipeline any number of
// requests.
void HttpConnection::serve_what_is_buffered() {
  if (serving_) return;
  serving_ = true;
  while (phase_ == Phase::receiving && has_input()) {
    if (!parse()) break;
  }
  serving_ = false;
  // Continues to read if a request is expected or is being answered. In the other phases a read is
  // already outstanding, or the write notices that the client has left.
  if (reading_) return;
  if (phase_ == Phase::receiving) hub_->read_soon(*this);
  if (phase_ == Phase::answering) hub_->watch_later(*this);
}

bool HttpConnection::parse() {
  using State = HttpRequestParser::State;
  const bool was_idle = parser_.state() == State::idle;
  input_begin_ += parser_.put({input_.data() + input_begin_, input_end_ - input_begin_});
  switch (parser_.state()) {
    case State::idle: return false;
    case State::receiving:
      if (was_idle) {
        deadline_ = hub_->deadline(hub_->options.request_timeout);
        if (!kept_) become_quiet();
      }
      if (parser_.take_expectation()) {
        // The result is ignored: these 25 bytes fit into the empty socket buffer, unless the client
        // has left.
        (void)transport_.send(interim_answer);
      }
      return false;
    case State::complete: dispatch(); return true;
    case State::refused: {
      const HttpRefusal refusal = parser_.refusal();
      refuse(refusal);
      return false;
    }
  }
  return false;
}

void HttpConnection::dispatch() {
  present_.keep_alive = parser_.keeps_alive();
  HttpRequest request = parser_.release();
  present_.head_only = request.method() == http::verb::head;
  present_.old_client = request.version() < 11;
  ++request_;
  request_tick_ = hub_->tick;
  phase_ = Phase::answering;
  kept_ = false;
  hub_->by_client.become(place_, ConnectionUse::busy);
  const auto origin = request[http::field::origin];
  cross_origin_ =
      cross_origin_fields({origin.data(), origin.size()}, hub_->options.allowed_origins);
  if (const auto leave = preflight_fields(request, hub_->options)) {
    cross_origin_ += *leave;
    return answer(request_, HttpAnswer{.status = 204, .body = {}});
  }
  hub_->handler(std::move(request), HttpResponder{weak_from_this(), request_});
}

// --- answering ----------------------------------------------------------------------------------

void HttpConnection::answer(std::uint64_t request, HttpAnswer&& answer) {
  if (phase_ != Phase::answering || request != request_) return;
  on_hang_up_ = nullptr;
  begin_writing(answer, present_.head_only, present_.old_client);
}

void HttpConnection::keep(std::uint64_t request) {
  if (phase_ != Phase::answering || request != request_) return;
  kept_ = true;
  hub_->by_client.become(place_, ConnectionUse::kept);
}

void HttpConnection::on_hang_up(std::uint64_t request, std::function<void()> handler) {
  if (phase_ == Phase::answering && request == request_) on_hang_up_ = std::move(handler);
}

std::optional<boost::asio::ip::tcp::socket> HttpConnection::take_over(std::uint64_t request) {
  if (phase_ != Phase::answering || request != request_) return std::nullopt;
  if (transport_.is_encrypted()) return std::nullopt;
  phase_ = Phase::closed;
  on_hang_up_ = nullptr;
  error_code ignored;
  transport_.socket().cancel(ignored);  // the outstanding read would take the new owner's bytes
  boost::asio::ip::tcp::socket taken{std::move(transport_.socket())};
  hub_->remove(*this);
  return taken;
}

void HttpConnection::refuse(const HttpRefusal& refusal) {
  const auto reason = http::obsolete_reason(http::int_to_status(refusal.status));
  present_.keep_alive = false;
  const auto& origins = hub_->options.allowed_origins;
  cross_origin_ = refusal.origin ? cross_origin_fields(*refusal.origin, origins)
                                 : cross_origin_fields_of_unknown(origins);
  parser_.reset();
  auto answer =
      problem(refusal.status, refusal.type, {reason.data(), reason.size()}, refusal.detail);
  if (refusal.status == static_cast<unsigned>(http::status::service_unavailable)) {
    answer.retry_after_seconds = 1;
  }
  begin_writing(answer, refusal.of_head, false);
}

void HttpConnection::become_quiet() {
  hub_->by_client.become(place_, ConnectionUse::quiet);
  quiet_tick_ = hub_->tick;
}

void HttpConnection::begin_writing(const HttpAnswer& answer, bool head_only, bool old_client) {
  present_.keep_alive = present_.keep_alive && !ended_ && !hub_->stopping && !answer.last;
  const HttpAnswerForm form{.date = hub_->date,
                            .keep_alive = present_.keep_alive,
                            .old_client = old_client,
                            .head_only = head_only,
                            .fields = cross_origin_};
  write_answer(answer, form, output_);
  ++hub_->responses[answer.status];
  phase_ = Phase::writing;
  if (!kept_ && !turned_away_) become_quiet();
  deadline_ = hub_->deadline(hub_->options.request_timeout);
  // Nearly every answer fits into the socket's buffer. An immediate send needs no asynchronous
  // operation and no second turn of the event loop. This saves a tenth of the time for a request.
  const auto sent = transport_.send(output_);
  if (!sent) {
    close();
  } else if (*sent == HttpTransport::Sent::all) {
    handle_written();
  } else {
    transport_.send_rest([self = shared_from_this()](error_code error) {
      if (self->phase_ != Phase::writing) return;
      if (error) return self->close();
      self->handle_written();
    });
  }
}

void HttpConnection::handle_written() {
  if (output_.capacity() > kept_output_bytes) std::string{}.swap(output_);
  if (!present_.keep_alive) {
    discard();
    return;
  }
  if (ended_) {
    close();
    return;
  }
  phase_ = Phase::receiving;
  deadline_ = hub_->deadline(hub_->options.idle_timeout);
  if (serving_) return;  // the calling loop continues
  if (!has_input()) {
    if (!reading_) hub_->read_soon(*this);
    return;
  }
  // Posts the next step, because answer() must not call the handler of the next request.
  boost::asio::post(transport_.socket().get_executor(), [self = shared_from_this()] {
    if (self->phase_ == Phase::receiving) self->serve_what_is_buffered();
  });
}

// Ends our output, and reads until the client closes too. A close with unread bytes would reset the
// connection, and the client might lose the answer: RFC 9112 9.6.
void HttpConnection::discard() {
  if (ended_) {
    close();
    return;
  }
  phase_ = Phase::discarding;
  deadline_ = hub_->deadline(discard_time);
  transport_.shut();
  input_begin_ = input_end_ = 0;
  if (!reading_) read();
}

}  // namespace fixkeep::net
