#include "common/obs/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "common/obs/version.hpp"

namespace fixkeep::obs {
namespace {

constexpr double us = 1e-6;

prometheus::ClientMetric::Histogram to_prometheus(const DurationHistogram& durations) {
  prometheus::ClientMetric::Histogram histogram;
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < DurationHistogram::buckets; ++i) {
    cumulative += durations.counts()[i];
    const bool last = i + 1 == DurationHistogram::buckets;
    histogram.bucket.push_back(
        {cumulative, last ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(DurationHistogram::end_us(i)) * us});
  }
  histogram.sample_count = cumulative;
  histogram.sample_sum = static_cast<double>(durations.sum_us()) * us;
  return histogram;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::size_t open_descriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entries{"/proc/self/fd", error};
  if (error) return 0;
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

// proc(5): the 22nd field of stat is the start in clock ticks since the boot. The second field is
// in parentheses and may contain any character. /proc/stat contains the time of the boot.
double start_time_seconds() {
  std::string line;
  std::getline(std::ifstream{"/proc/self/stat"}, line);
  std::istringstream rest{line.substr(std::min(line.rfind(')') + 1, line.size()))};
  constexpr int fields_between = 19;
  std::string skipped;
  for (int i = 0; i < fields_between; ++i) rest >> skipped;
  double ticks = 0;
  rest >> ticks;
  std::ifstream stat{"/proc/stat"};
  double booted = 0;
  while (booted == 0 && std::getline(stat, line)) {
    if (line.starts_with("btime ")) booted = std::stod(line.substr(line.find(' ')));
  }
  return booted + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::size_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

struct MetricsPage::Impl {
  std::vector<prometheus::MetricFamily> families;

  prometheus::ClientMetric& add(std::string name, std::string_view help,
                                prometheus::MetricType type, MetricLabels labels) {
    if (families.empty() || families.back().name != name) {
      families.push_back({std::move(name), std::string{help}, type, {}});
    }
    auto& metric = families.back().metric.emplace_back();
    for (const auto& [label, value] : labels) {
      metric.label.push_back({std::string{label}, std::string{value}});
    }
    return metric;
  }
};

MetricsPage::MetricsPage() : impl_(std::make_unique<Impl>()) {}
MetricsPage::~MetricsPage() = default;
MetricsPage::MetricsPage(MetricsPage&&) noexcept = default;
MetricsPage& MetricsPage::operator=(MetricsPage&&) noexcept = default;

void MetricsPage::counter(std::string_view name, std::string_view help, std::uint64_t value,
                          MetricLabels labels) {
  impl_
      ->add("fixkeep_" + std::string{name} + "_total", help, prometheus::MetricType::Counter,
            labels)
      .counter.value = static_cast<double>(value);
}

void MetricsPage::gauge(std::string_view name, std::string_view help, double value,
                        MetricLabels labels) {
  impl_->add("fixkeep_" + std::string{name}, help, prometheus::MetricType::Gauge, labels)
      .gauge.value = value;
}

void MetricsPage::histogram(std::string_view name, std::string_view help,
                            const DurationHistogram& durations, MetricLabels labels) {
  impl_
      ->add("fixkeep_" + std::string{name} + "_seconds", help, prometheus::MetricType::Histogram,
            labels)
      .histogram = to_prometheus(durations);
}

void MetricsPage::process() {
  using prometheus::MetricType;
  const auto add = [this](std::string name, std::string_view help, MetricType type, double value) {
    auto& metric = impl_->add(std::move(name), help, type, {});
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  };
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  add("process_cpu_seconds_total", "Processor time, of the user and of the system.",
      MetricType::Counter, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  add("process_start_time_seconds", "Start of the process, in seconds since 1970.",
      MetricType::Gauge, start_time_seconds());
  add("process_resident_memory_bytes", "Memory that the process occupies.", MetricType::Gauge,
      static_cast<double>(resident_bytes()));
  add("process_open_fds", "Open file descriptors.", MetricType::Gauge,
      static_cast<double>(open_descriptors()));
  add("process_max_fds", "The limit of open file descriptors.", MetricType::Gauge,
      static_cast<double>(descriptor_limit()));
  gauge("build_info", "1; what was built is in the labels.", 1,
        {{"version", build_version()}, {"build", build_type()}, {"compiler", build_compiler()}});
}

std::string MetricsPage::render() const {
  return prometheus::TextSerializer{}.Serialize(impl_->families);
}

}  // namespace fixkeep::obs
