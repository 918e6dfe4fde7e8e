// An answer without an end. Each piece is sent as soon as it is made. If the client reads slowly,
// pieces wait in memory.
#include "common/net/http/answer.hpp"
#include "common/net/http/connection.hpp"

namespace fixkeep::net {

using boost::system::error_code;

bool HttpConnection::begin_stream(std::uint64_t request, std::string_view content_type) {
  if (phase_ != Phase::answering || request != request_) return false;
  on_hang_up_ = nullptr;
  present_.keep_alive = false;
  phase_ = Phase::streaming;
  ++hub_->responses[200];
  unsent_ = std::make_unique<Unsent>();
  input_begin_ = input_end_ = 0;
  std::string head;
  write_stream_head(content_type, hub_->date, cross_origin_, head);
  read();  // notices when the client ends the connection
  return send_more(std::make_shared<const std::string>(std::move(head)));
}

bool HttpConnection::send_more(std::shared_ptr<const std::string>&& bytes) {
  if (phase_ != Phase::streaming) return false;
  unsent_->bytes += bytes->size();
  if (unsent_->bytes > HttpStream::unsent_most) {
    close();
    return false;
  }
  unsent_->waiting.push_back(std::move(bytes));
  if (!unsent_->sending) send_waiting();
  return phase_ == Phase::streaming;
}

void HttpConnection::send_waiting() {
  while (!unsent_->waiting.empty()) {
    const auto sent = transport_.send(*unsent_->waiting.front());
    if (!sent) return close();
    if (*sent == HttpTransport::Sent::some) break;
    unsent_->bytes -= unsent_->waiting.front()->size();
    unsent_->waiting.pop_front();
  }
  unsent_->sending = !unsent_->waiting.empty();
  if (!unsent_->sending) return;
  deadline_ = hub_->deadline(hub_->options.idle_timeout);
  unsent_->left = transport_.unsent();
  transport_.send_rest([self = shared_from_this()](error_code error) {
    if (self->phase_ != Phase::streaming) return;
    if (error) return self->close();
    self->unsent_->bytes -= self->unsent_->waiting.front()->size();
    self->unsent_->waiting.pop_front();
    self->send_waiting();
  });
}

// The connection of a slow client stays open. It is closed only if the client reads nothing.
void HttpConnection::look_whether_it_reads() {
  if (unsent_->waiting.empty()) return;
  const std::size_t before = std::exchange(unsent_->left, transport_.unsent());
  if (unsent_->left == before) return close();
  deadline_ = hub_->deadline(hub_->options.idle_timeout);
}

// Drops unsent bytes. A stream has no length, so no client waits for these bytes.
void HttpConnection::end_stream() {
  if (phase_ == Phase::streaming) close();
}

}  // namespace fixkeep::net
