// Metrics: counters live where they are counted, and a page is made of them when it is asked for.
//
// The cores keep plain numbers (MasterCounters and the like), so the hot path pays an addition and
// no atomic operation. GET /metrics builds a MetricsPage from them on the owner's thread. The
// rejected alternative, prometheus-cpp's registry, has one atomic object a series and cannot show a
// number that is counted elsewhere.
// Thread rule: values, one owner. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/time.hpp"

namespace fixkeep::obs {

// Counts durations in buckets of powers of two: bucket i holds those below 2^i microseconds that
// are not in bucket i-1. Recording is a few instructions; quantiles are exact to a factor of two.
class LatencyHistogram {
 public:
  static constexpr std::size_t buckets = 28;  // the last one holds all above 67 s

  void record(Duration duration);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Duration sum() const { return sum_; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }

  // The upper end of the bucket that holds the quantile; 0 if nothing was recorded.
  // REQUIRES: 0 <= q <= 1.
  [[nodiscard]] Duration quantile(double q) const;

 private:
  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  Duration sum_{};
};

using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// One answer to GET /metrics. Every name gets the prefix "fixkeep_", a counter the suffix "_total",
// a histogram the suffix "_seconds". Series of one name are added one after the other.
class MetricsPage {
 public:
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  MetricsPage();
  ~MetricsPage();
  MetricsPage(MetricsPage&&) noexcept;
  MetricsPage& operator=(MetricsPage&&) noexcept;

  void counter(std::string_view name, std::string_view help, std::uint64_t value,
               MetricLabels labels = {});
  void gauge(std::string_view name, std::string_view help, double value, MetricLabels labels = {});
  void histogram(std::string_view name, std::string_view help, const LatencyHistogram& values,
                 MetricLabels labels = {});
  // Buckets as in LatencyHistogram without a sum: it is estimated from the buckets' middles.
  void histogram(std::string_view name, std::string_view help,
                 std::span<const std::uint64_t> counts, MetricLabels labels = {});

  // What Prometheus asks of every process, under the names that it has for it (without our prefix):
  // processor time, start, memory, descriptors; and fixkeep_build_info.
  void process();

  [[nodiscard]] std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::obs
