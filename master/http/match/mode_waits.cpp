#include "master/http/match/mode_waits.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace fixkeep::master {
namespace {

nlohmann::ordered_json ms_or_null(std::optional<Duration> time) {
  if (!time) return nullptr;
  return std::chrono::ceil<std::chrono::milliseconds>(*time).count();
}

nlohmann::ordered_json waits_json(const WaitEstimator::Waits& waits) {
  return {{"p50_ms", ms_or_null(waits.p50)}, {"p90_ms", ms_or_null(waits.p90)}};
}

}  // namespace

ModeWaits::ModeWaits(const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) modes_.push_back({mode.name, {}, {}});
}

void ModeWaits::ended(std::size_t mode, bool seated, Duration took, TimePoint now) {
  WaitEstimator& estimator = modes_[mode].estimator;
  seated ? estimator.seated(took, now) : estimator.gave_up(took, now);
}

void ModeWaits::look(TimePoint now) {
  looked_at_ = now;
  for (OfMode& mode : modes_) mode.waiting.clear();
}

std::string ModeWaits::to_json(std::size_t mode, TimePoint now) const {
  constexpr auto window = WaitEstimator::slice * WaitEstimator::slices_most;
  const auto& [name, estimator, waiting] = modes_[mode];
  nlohmann::ordered_json page{
      {"mode", name.text()},
      {"window_ms", std::chrono::duration_cast<std::chrono::milliseconds>(window).count()},
      {"waiting", waiting.count()},
      {"seated", estimator.seated_count(now)},
      {"waited", waits_json(estimator.seen(now))},
      {"estimate", waits_json(estimator.estimate(now, waiting))}};
  return page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace fixkeep::master
