// The budget bounds the rate at which rooms start for one client.
//
// Another limit bounds how many rooms start at the same time (starting_rooms_per_client). Games
// that boot within a second rarely reach that other limit. But if a client hangs up, each room of
// this client still occupies a worker for a while. The rate is GCRA as in client_limits.hpp: a
// quiet client may start `burst` rooms immediately and then `per_minute` rooms per minute. An order
// that no worker carries out costs nothing.
//
// Thread rule: a value, one owner; reads no clock. Bounds: at most `most_clients` clients with
// recent room starts. If the table is full, a new client has no limit, because other clients must
// not be able to shut the new client out. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "common/base/time.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class RoomBudget {
 public:
  static constexpr std::size_t most_clients = 100'000;

  // The burst equals the rooms of two minutes: many players arrive when an evening or an event
  // begins.
  explicit RoomBudget(std::uint32_t per_minute) : RoomBudget{per_minute, 2 * per_minute} {}
  // `per_minute` 0: no limit.
  RoomBudget(std::uint32_t per_minute, std::uint32_t burst)
      : price_(per_minute == 0 ? Duration{0} : Duration{std::chrono::minutes{1}} / per_minute),
        burst_(burst) {}

  // Returns how many rooms may be ordered for the client now.
  [[nodiscard]] std::uint32_t left(const ClientAddress& client, TimePoint now) const {
    if (price_ == Duration{0}) return std::numeric_limits<std::uint32_t>::max();
    const auto rooms = (burst_ * price_ - owed(client, now)) / price_;
    return static_cast<std::uint32_t>(std::max<decltype(rooms)>(rooms, 0));
  }
  // Returns the time until another room is allowed to start for the client; 0: now.
  [[nodiscard]] Duration wait(const ClientAddress& client, TimePoint now) const {
    return std::max(owed(client, now) + price_ - burst_ * price_, Duration{0});
  }
  void ordered(const ClientAddress& client, TimePoint now) {
    if (price_ == Duration{0} || client.empty()) return;
    const auto known = paid_until_.find(client);
    if (known != paid_until_.end()) {
      known->second = std::max(known->second, now) + price_;
    } else if (!full(now)) {
      paid_until_.emplace(client, now + price_);
    }
  }
  // Refunds the cost of an order for this client: no worker has carried out the order.
  void not_started(const ClientAddress& client) {
    const auto known = paid_until_.find(client);
    if (known != paid_until_.end()) known->second -= price_;
  }

  [[nodiscard]] std::size_t clients() const { return paid_until_.size(); }

 private:
  [[nodiscard]] Duration owed(const ClientAddress& client, TimePoint now) const {
    const auto known = paid_until_.find(client);
    return known == paid_until_.end() ? Duration{0} : std::max(known->second - now, Duration{0});
  }
  [[nodiscard]] bool full(TimePoint now) {
    if (paid_until_.size() < most_clients) return false;
    if (now < next_sweep_) return true;
    next_sweep_ = now + std::chrono::seconds{1};
    std::erase_if(paid_until_, [&](const auto& client) { return client.second <= now; });
    return paid_until_.size() >= most_clients;
  }

  Duration price_;
  std::int64_t burst_;
  std::unordered_map<ClientAddress, TimePoint> paid_until_;
  TimePoint next_sweep_ = TimePoint::min();
};

}  // namespace fixkeep::master
