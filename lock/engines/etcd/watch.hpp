// The watch of an etcd engine: one stream with all releases of the cluster. It is open while a key
// waits, and for ten seconds longer.
//
// A broken stream is opened again. Without a stream, waiters poll a few times per second. Even with
// a stream, they poll once per lease because a stalled server might not report a release.
//
// Invariants: 1. `look` is called for a waiting group each time when the entry before the group's
//                entry may be gone. `look` is never called from within a call by the engine.
// Thread rule: the thread of the io_context. Bounds: see EtcdReleases. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lock/engines/etcd/releases.hpp"
#include "lock/engines/etcd/transport.hpp"
#include "lock/engines/etcd/wire.hpp"

namespace fixkeep::engine {

class EtcdWatch {
 public:
  using Look = std::function<void(const GroupKey&)>;

  // The watch keeps the owner alive while it calls `look`.
  EtcdWatch(boost::asio::io_context& context, EtcdTransport& transport, const EtcdNames& names,
            Duration poll_every, Look look);

  // Handlers refer to `owner` weakly: no handler is called after the owner's end.
  void set_owner(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  // Makes the group a waiter for the end of `ahead`, an entry that existed at `revision`. Returns
  // false if `ahead` may have ended since that revision. The caller must then look again.
  [[nodiscard]] bool wait(const GroupKey& group, const std::string& ahead, std::uint64_t revision);
  void forget(const std::string& ahead) { releases_.forget(ahead); }
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  void news(std::string_view line);
  void ended();
  void schedule();
  void keep_house();
  void look(const std::vector<GroupKey>& groups);

  boost::asio::steady_timer timer_;
  EtcdTransport& transport_;
  const EtcdNames& names_;
  Duration poll_every_;
  Look look_;
  std::weak_ptr<void> owner_;
  EtcdReleases releases_;
  bool streaming_ = false;  // the stream is open or being opened
  bool scheduled_ = false;
  bool closed_ = false;
  Clock::time_point last_wait_;
  Clock::time_point last_poll_;
};

}  // namespace fixkeep::engine
