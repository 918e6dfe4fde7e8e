#include "master/http/match/mode_waits.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace fixkeep::master {
namespace {

nlohmann::ordered_json ms_or_null(std::optional<Duration> time) {
  if (!time) return nullptr;
  return std::chrono::ceil<std::chrono::milliseconds>(*time).count();
}

nlohmann::ordered_json waits_json(const WaitEstimator::Waits& waits) {
  return {{"p50_ms", ms_or_null(waits.p50)}, {"p90_ms", ms_or_null(waits.p90)}};
}

// Returns the wait that `percent` percent of the seated claims did not exceed. `all`: number of
// seated claims. A claim outside the histogram has waited longer than any claim inside.
std::optional<Duration> longest_of_share(const WaitHistogram& waits, std::uint64_t all,
                                         std::uint64_t percent) {
  if (all == 0) return std::nullopt;
  const std::uint64_t rank = (all * percent + 99) / 100;
  std::uint64_t counted = 0;
  for (std::size_t bucket = 0; bucket < WaitHistogram::buckets; ++bucket) {
    counted += waits[bucket];
    if (counted >= rank) return WaitHistogram::longest_of(bucket);
  }
  return std::nullopt;
}

nlohmann::ordered_json shadow_json(const ShadowCounts& counts) {
  const auto waited = [&](const ShadowCounts::Rules& rules) {
    return waits_json({longest_of_share(rules.waits, counts.seated(), 50),
                       longest_of_share(rules.waits, counts.seated(), 90)});
  };
  auto spreads = nlohmann::ordered_json::array();
  for (std::size_t n = 0; n < counts.numbers.size(); ++n) {
    const auto mean = [&](const ShadowCounts::Rules& rules) -> nlohmann::ordered_json {
      if (counts.by_both() == 0) return nullptr;
      return rules.spread.at(n) / counts.by_both();
    };
    spreads.push_back({{"number", counts.numbers[n]},
                       {"live_mean", mean(counts.live)},
                       {"shadow_mean", mean(counts.shadow)}});
  }
  return {{"plans", counts.plans},
          {"unfinished", counts.unfinished},
          {"seated", counts.seated()},
          {"earlier", counts.earlier},
          {"same_decision", counts.same_decision},
          {"not_yet", counts.not_yet},
          {"live_waited", waited(counts.live)},
          {"shadow_waited", waited(counts.shadow)},
          {"spread", std::move(spreads)}};
}

}  // namespace

void ModeWaits::renew(const std::vector<Mode>& modes) {
  std::vector<OfMode> before = std::exchange(modes_, {});
  for (const Mode& mode : modes) {
    const auto known = std::ranges::find(before, mode.name, &OfMode::name);
    modes_.push_back(known != before.end() ? std::move(*known) : OfMode{mode.name, {}, {}});
  }
  looked_at_ = TimePoint{} - fresh;
}

void ModeWaits::ended(std::size_t mode, bool seated, Duration took, TimePoint now) {
  WaitEstimator& estimator = modes_[mode].estimator;
  seated ? estimator.seated(took, now) : estimator.gave_up(took, now);
}

void ModeWaits::look(TimePoint now) {
  looked_at_ = now;
  for (OfMode& mode : modes_) mode.waiting.clear();
}

nlohmann::ordered_json ModeWaits::estimate_json(std::size_t mode, TimePoint now) const {
  const auto expected = modes_[mode].estimator.estimate(now, modes_[mode].waiting);
  return expected.p50 ? waits_json(expected) : nlohmann::ordered_json(nullptr);
}

std::string ModeWaits::to_json(std::size_t mode, TimePoint now, const ShadowCounts* shadow) const {
  constexpr auto window = WaitEstimator::slice * WaitEstimator::slices_most;
  const auto& [name, estimator, waiting] = modes_[mode];
  nlohmann::ordered_json page{
      {"mode", name.text()},
      {"window_ms", std::chrono::duration_cast<std::chrono::milliseconds>(window).count()},
      {"waiting", waiting.count()},
      {"seated", estimator.seated_count(now)},
      {"waited", waits_json(estimator.seen(now))},
      {"estimate", waits_json(estimator.estimate(now, waiting))}};
  if (shadow != nullptr) page["shadow"] = shadow_json(*shadow);
  return page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace fixkeep::master
