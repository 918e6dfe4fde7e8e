#include "master/http/identity/client_limits.hpp"

#include <algorithm>

namespace fixkeep::master {
namespace {

constexpr Duration second = std::chrono::seconds{1};

struct Payment {
  TimePoint paid;  // the new paid_until if one more request is admitted
  Duration early;  // how much too early that request is; 0 or less: in time
};

Payment payment_of(TimePoint paid_until, const ClientLimitOptions& options, TimePoint now) {
  const Duration price = second / options.per_second;
  const TimePoint paid = std::max(paid_until, now) + price;
  return {paid, paid - now - price * options.burst};
}

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
    const Payment payment = payment_of(known.paid_until, options, now);
    if (payment.early > Duration{0}) return {Verdict::too_often, payment.early};
    known.paid_until = payment.paid;
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
  if (now < next_sweep_) return true;  // a sweep takes milliseconds, so one per second
  next_sweep_ = now + second;
  std::erase_if(clients_, [&](const auto& entry) {
    return entry.second.waiting == 0 && entry.second.paid_until <= now;
  });
  return clients_.size() >= most_clients;
}

}  // namespace fixkeep::master
