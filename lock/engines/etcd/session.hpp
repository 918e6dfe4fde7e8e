// The leases of an etcd engine: the lease of its entries and the lease of its records.
//
// The lease of entries is renewed after each third of its duration. We treat this lease as ended as
// soon as the server reports its end, or when the lease's duration has passed since we sent the
// last answered renewal. As soon as a server answers again, we revoke the old lease, so that its
// entries do not block the keys longer than necessary. Then we make a new lease. The lease of
// records is never renewed. It is replaced after half its time, so old records expire.
//
// Invariants: 1. on_opened and on_lost are called alternately, on_opened first. They are never
//                called from within functions that the engine calls. Exception: lose() calls
//                on_lost.
//             2. open() is false as soon as the lease may be over, even before on_lost.
// Thread rule: the thread of the io_context. Bounds: one request at a time. Errors: on_lost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lock/engines/etcd/transport.hpp"

namespace fixkeep::engine {

// The pause before a refused request is sent again.
inline constexpr std::chrono::milliseconds refused_pause{200};

struct EtcdSessionOptions {
  Duration ttl{std::chrono::seconds{5}};
  std::string username;  // empty: none
  std::string password;
};

class EtcdSession {
 public:
  struct Handlers {
    std::function<void()> on_opened;
    std::function<void()> on_lost;
  };

  EtcdSession(boost::asio::io_context& context, EtcdTransport& transport,
              EtcdSessionOptions options, Handlers handlers);
  EtcdSession(const EtcdSession&) = delete;
  EtcdSession& operator=(const EtcdSession&) = delete;
  ~EtcdSession();

  // Ends the session. Call it if the server does not know the lease, or if the lease has expired
  // before its timer ran.
  void lose(std::string_view reason);
  void authenticate_again();                     // our token is no longer valid
  void say_goodbye(std::function<void()> done);  // revokes the lease; `done` is called once
  void close();

  [[nodiscard]] bool open() const;
  [[nodiscard]] std::uint64_t number() const;  // increases with each opening
  [[nodiscard]] std::int64_t lease() const;
  [[nodiscard]] std::int64_t record_lease() const;
  [[nodiscard]] Duration ttl() const;  // the duration that the server has granted

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
