// Sends the spans of a master to the configured collector, if there is one.
// Thread rule: the master's thread. Errors: spans that the collector refuses are counted.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

#include "common/net/otlp/exporter.hpp"
#include "master/http/match/match_spans.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {

class Spans {
 public:
  [[nodiscard]] static Spans start(boost::asio::io_context& context, const Settings& settings);

  // These functions return options for classes that make spans. The ids of each class are
  // different. Without a collector the sinks are empty.
  [[nodiscard]] SpanOptions of_matches() const { return options(1); }
  [[nodiscard]] SpanOptions of_orders() const { return options(2); }
  void stop();
  [[nodiscard]] net::OtlpCounters counters() const;

 private:
  [[nodiscard]] SpanOptions options(std::uint64_t maker) const;

  std::shared_ptr<net::OtlpExporter> exporter_;  // null: no collector
  double sample_ = 1;
  std::uint64_t seed_ = 0;
};

}  // namespace fixkeep::master
