#include "lock/engines/etcd/watch.hpp"

#include <utility>

namespace fixkeep::engine {

using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds check_every{200};
constexpr std::chrono::seconds linger{10};  // time that the stream stays open without a waiter

}  // namespace

EtcdWatch::EtcdWatch(boost::asio::io_context& context, EtcdTransport& transport,
                     const EtcdNames& names, Duration poll_every, Look look)
    : timer_(context),
      transport_(transport),
      names_(names),
      poll_every_(poll_every),
      look_(std::move(look)) {}

bool EtcdWatch::wait(const GroupKey& group, const std::string& ahead, std::uint64_t revision) {
  if (!releases_.wait(group, ahead, revision)) return false;
  last_wait_ = Clock::now();
  schedule();
  if (!streaming_) open();
  return true;
}

void EtcdWatch::close() {
  closed_ = true;
  timer_.cancel();
}

void EtcdWatch::open() {
  streaming_ = true;
  transport_.open_stream("/v3/watch", watch_body(names_),
                         {.on_line =
                              [this, owner = owner_](std::string_view line) {
                                if (const auto kept = owner.lock()) news(line);
                              },
                          .on_closed =
                              [this, owner = owner_] {
                                if (const auto kept = owner.lock()) ended();
                              }});
}

void EtcdWatch::news(std::string_view line) {
  const auto read = read_watch(line);
  if (!read || read->cancelled) {
    transport_.close_stream();
    ended();
    return;
  }
  if (read->opened) look(releases_.opened(read->revision));
  if (!closed_) look(releases_.released(read->deleted, read->revision));
}

// Notes that the stream has ended. keep_house() opens a new stream after a pause.
void EtcdWatch::ended() {
  streaming_ = false;
  releases_.closed();
}

void EtcdWatch::schedule() {
  if (scheduled_ || closed_) return;
  scheduled_ = true;
  timer_.expires_after(check_every);
  timer_.async_wait([this, owner = owner_](error_code error) {
    const auto kept = owner.lock();
    if (error || !kept || closed_) return;
    scheduled_ = false;
    keep_house();
  });
}

void EtcdWatch::keep_house() {
  const auto now = Clock::now();
  if (!releases_.idle()) {
    last_wait_ = now;
    if (!streaming_) open();
    if (!releases_.open() || now - last_poll_ >= poll_every_) {
      last_poll_ = now;
      look(releases_.everyone());
    }
    schedule();
  } else if (streaming_ && now - last_wait_ < linger) {
    schedule();
  } else if (streaming_) {
    transport_.close_stream();
    ended();
  }
}

void EtcdWatch::look(const std::vector<GroupKey>& groups) {
  for (const auto& group : groups) {
    if (closed_) return;
    look_(group);
  }
}

}  // namespace fixkeep::engine
