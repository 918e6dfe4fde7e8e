#include "lock/engines/redis/connection.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <new>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::engine {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// hiredis takes the number of words as an int, and words and lengths in separate arrays.
std::size_t append_command(const std::vector<std::string_view>& words, std::string& out) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  texts.reserve(words.size());
  sizes.reserve(words.size());
  for (const auto word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* command = nullptr;
  const auto bytes =
      redisFormatCommandArgv(&command, static_cast<int>(words.size()), texts.data(), sizes.data());
  if (bytes < 0) throw std::bad_alloc{};
  const auto size = static_cast<std::size_t>(bytes);
  out.append(command, size);
  redisFreeCommand(command);
  return size;
}

}  // namespace

RedisConnection::RedisConnection(asio::io_context& context, Duration reply,
                                 EngineStatistics& statistics, RedisConnectionHandlers handlers,
                                 std::shared_ptr<net::ServerTrust> trust)
    : context_(context),
      reply_(reply),
      statistics_(&statistics),
      handlers_(std::move(handlers)),
      dialler_(context.get_executor()),
      stream_(context, std::move(trust)),
      timer_(context),
      reader_(make_reply_reader()) {}

RedisConnection::~RedisConnection() = default;

void RedisConnection::open(const ServerAddress& address) {
  const auto self = shared_from_this();
  timer_.expires_after(reply_);
  timer_.async_wait([self](error_code error) {
    if (!error && !self->opened_) self->fail("it cannot be reached in time", Failure::timeout);
  });
  dialler_.dial({address.host, address.port, std::chrono::ceil<std::chrono::milliseconds>(reply_)},
                [self, host = address.host](error_code error, tcp::socket socket) {
                  if (self->closed_) return;
                  if (error) return self->fail(error.message());
                  self->stream_.next() = std::move(socket);
                  error_code ignored;
                  self->stream_.next().set_option(tcp::no_delay{true}, ignored);
                  self->stream_.async_welcome(host, [self](error_code unwelcome) {
                    if (self->closed_) return;
                    if (unwelcome) return self->fail(unwelcome.message(), Failure::refused);
                    self->begin();
                  });
                });
}

void RedisConnection::begin() {
  last_sent_ = Clock::now();
  opened_ = true;
  watch();
  read();
  handlers_.opened();
}

void RedisConnection::send(const std::vector<std::string_view>& words) {
  if (closed_) return;
  append(words, false);
}

void RedisConnection::append(const std::vector<std::string_view>& words, bool ping) {
  const auto bytes = append_command(words, pending_);
  last_sent_ = Clock::now();
  asked_.push_back({last_sent_, ping});
  if (!ping) {
    ++statistics_->requests_sent;
    statistics_->bytes_sent += bytes;
  }
  schedule_write();
}

void RedisConnection::schedule_write() {
  if (writing_ || write_posted_) return;
  write_posted_ = true;
  asio::post(context_, [self = shared_from_this()] {
    self->write_posted_ = false;
    self->write();
  });
}

void RedisConnection::write() {
  if (closed_ || writing_ || pending_.empty()) return;
  writing_ = true;
  std::swap(pending_, in_flight_);
  asio::async_write(stream_, asio::buffer(in_flight_),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      self->writing_ = false;
                      self->in_flight_.clear();
                      if (self->closed_) return;
                      if (error) return self->fail(error.message());
                      self->write();
                    });
}

void RedisConnection::read() {
  stream_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            if (self->closed_) return;
                            if (error) return self->fail(error.message());
                            if (self->take_replies(bytes)) self->read();
                          });
}

// Returns false if the connection is closed now.
bool RedisConnection::take_replies(std::size_t bytes) {
  statistics_->bytes_received += bytes;
  redisReaderFeed(reader_.get(), input_.data(), bytes);
  for (;;) {
    void* read = nullptr;
    if (redisReaderGetReply(reader_.get(), &read) != REDIS_OK) {
      fail("its answer is not in the Redis protocol", Failure::refused);
      return false;
    }
    const std::unique_ptr<void, void (*)(void*)> kept{read, freeReplyObject};
    if (!kept) break;
    if (asked_.empty()) {
      fail("it answers without a question", Failure::refused);
      return false;
    }
    const auto& reply = *static_cast<const redisReply*>(kept.get());
    const bool ping = asked_.front().ping;
    asked_.pop_front();
    if (ping) {
      if (reply.type == REDIS_REPLY_STATUS) statistics_->bytes_received -= reply.len + 3;  // +…CRLF
      continue;
    }
    ++statistics_->replies_received;
    handlers_.replied(reply);
    if (closed_) return false;
  }
  if (reader_->len - reader_->pos <= most_reply_bytes) return true;
  fail("its reply is too large", Failure::refused);
  return false;
}

// Looks for a late reply and sends PING, again and again until close().
void RedisConnection::watch() {
  timer_.expires_after(std::max<Duration>(reply_ / 4, std::chrono::milliseconds{1}));
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (error || self->closed_) return;
    const auto now = Clock::now();
    if (!self->asked_.empty() && now - self->asked_.front().at > self->reply_) {
      return self->fail("it does not answer", Failure::timeout);
    }
    if (self->asked_.empty() && now - self->last_sent_ > self->reply_) {
      self->append({"PING"}, true);
    }
    self->watch();
  });
}

void RedisConnection::fail(const std::string& why, Failure kind) {
  if (closed_) return;
  const auto closed = std::move(handlers_.closed);
  close();
  closed(kind, why);
}

void RedisConnection::close() {
  if (closed_) return;
  closed_ = true;
  error_code ignored;
  dialler_.cancel();
  stream_.next().close(ignored);
  timer_.cancel();
}

}  // namespace fixkeep::engine
