// ClientLimits bounds one client's requests to this master: the number of waiting requests, and the
// requests per second.
//
// The rate is GCRA (the leaky bucket as a meter, ITU-T I.371). A quiet client may send `burst`
// requests immediately, and then one request every 1 s / per_second.
//
// Thread rule: one owner; reads no clock. Bounds: at most `most_clients` clients with waiting or
// recent requests. A new client beyond this bound must retry later. Errors: Verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "common/base/time.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

struct ClientLimitOptions {
  std::size_t waiting = 25'000;  // half of MasterOptions::waiting_requests
  std::uint32_t per_second = 0;  // 0: no limit
  std::uint32_t burst = 100;

  friend bool operator==(const ClientLimitOptions&, const ClientLimitOptions&) = default;
};

// A quiet client may send the requests of ten seconds immediately, because players arrive in waves.
[[nodiscard]] constexpr std::uint32_t burst_of(std::uint32_t per_second) {
  return 10 * per_second;
}

class ClientLimits {
 public:
  static constexpr std::size_t most_clients = 100'000;

  enum class Verdict : std::uint8_t { admitted, too_many_waiting, too_often };
  struct Admission {
    Verdict verdict = Verdict::admitted;
    Duration retry_after{};
  };

  // Admits the request if its client is within the limits. An admitted request counts as waiting
  // until done().
  [[nodiscard]] Admission admit(const ClientAddress& client, const ClientLimitOptions& options,
                                TimePoint now);
  void done(const ClientAddress& client);

  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    std::size_t waiting = 0;
    TimePoint paid_until = TimePoint::min();  // time when all admitted requests are paid
  };
  [[nodiscard]] bool full(TimePoint now);

  std::unordered_map<ClientAddress, Client> clients_;
  TimePoint next_sweep_ = TimePoint::min();
};

}  // namespace fixkeep::master
