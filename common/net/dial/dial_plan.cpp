#include "common/net/dial/dial_plan.hpp"

namespace fixkeep::net {

DialPlan::DialPlan(const std::vector<boost::asio::ip::address>& addresses, TimePoint end)
    : end_(end) {
  std::deque<boost::asio::ip::address> preferred;
  std::deque<boost::asio::ip::address> other;
  for (const auto& each : addresses) {
    (each.is_v6() == addresses.front().is_v6() ? preferred : other).push_back(each);
  }
  while (left_.size() < most && !(preferred.empty() && other.empty())) {
    auto& from = preferred.empty() || (left_.size() % 2 == 1 && !other.empty()) ? other : preferred;
    left_.push_back(from.front());
    from.pop_front();
  }
}

std::optional<DialPlan::Try> DialPlan::next(TimePoint now) {
  if (left_.empty() || now >= end_) return std::nullopt;
  const auto share = (end_ - now) / static_cast<Duration::rep>(left_.size());
  const Try made{left_.front(), left_.size() == 1 ? end_ : now + share};
  left_.pop_front();
  return made;
}

}  // namespace fixkeep::net
