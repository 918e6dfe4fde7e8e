#include "master/http/match/client_limits.hpp"

#include <algorithm>

namespace fixkeep::master {
namespace {

constexpr Duration second = std::chrono::seconds{1};

}  // namespace

ClientLimits::Admission ClientLimits::admit(const ClientAddress& client,
                                            const ClientLimitOptions& options, TimePoint now) {
  auto at = clients_.find(client);
  if (at == clients_.end()) {
    if (full(now)) return {Verdict::too_often, second};
    at = clients_.try_emplace(client).first;
  }
  Client& known = at->second;
  if (known.waiting >= options.waiting) return {Verdict::too_many_waiting, second};
  if (options.per_second > 0) {
    const Duration price = second / options.per_second;
    const TimePoint paid = std::max(known.paid_until, now) + price;
    const Duration early = paid - now - price * options.burst;
    if (early > Duration{0}) return {Verdict::too_often, early};
    known.paid_until = paid;
  }
  ++known.waiting;
  return {};
}

void ClientLimits::done(const ClientAddress& client) {
  const auto at = clients_.find(client);
  if (at != clients_.end() && at->second.waiting > 0) --at->second.waiting;
}

bool ClientLimits::full(TimePoint now) {
  if (clients_.size() < most_clients) return false;
  std::erase_if(clients_, [&](const auto& entry) {
    return entry.second.waiting == 0 && entry.second.paid_until <= now;
  });
  return clients_.size() >= most_clients;
}

}  // namespace fixkeep::master
