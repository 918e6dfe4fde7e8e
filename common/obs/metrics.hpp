// Builds the page of metrics on request. The counters themselves are members of the classes that
// count.
//
// The cores use plain numbers (MasterCounters and others), so the hot path needs one addition and
// no atomic operation. GET /metrics builds a MetricsPage from these numbers on the owner's thread.
// Rejected: prometheus-cpp's registry. This registry has one atomic object for each series and
// cannot show a number counted elsewhere. Thread rule: values with one owner. Errors: none.
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

// One answer to GET /metrics. Adds the prefix "fixkeep_" to names, "_total" to counters and
// "_seconds" to histograms. REQUIRES: series with the same name are added one after another.
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

  // Adds fixkeep_build_info and the standard metrics of every process: processor time, start,
  // memory, descriptors. The standard names have no prefix "fixkeep_".
  void process();

  [[nodiscard]] std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::obs
