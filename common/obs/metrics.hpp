// Metrics: counters live where they are counted. A page is made of them on request.
//
// The cores keep plain numbers (MasterCounters and the like): the hot path pays an addition and no
// atomic operation. GET /metrics builds a MetricsPage from them on the owner's thread. Rejected:
// prometheus-cpp's registry. It has one atomic object a series and cannot show a number counted
// elsewhere. Thread rule: values with one owner. Errors: none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/duration_histogram.hpp"

namespace fixkeep::obs {

using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// One answer to GET /metrics. Names get the prefix "fixkeep_". Counters get the suffix "_total" and
// histograms "_seconds". Series of one name are added one after the other.
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
  void histogram(std::string_view name, std::string_view help, const DurationHistogram& durations,
                 MetricLabels labels = {});

  // Prometheus expects these of every process, under its own names (without our prefix): processor
  // time, start, memory, descriptors; and fixkeep_build_info.
  void process();

  [[nodiscard]] std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::obs
