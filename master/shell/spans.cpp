#include "master/shell/spans.hpp"

#include <chrono>
#include <utility>

#include "common/obs/version.hpp"

namespace fixkeep::master {

Spans Spans::start(boost::asio::io_context& context, const Settings& settings) {
  Spans spans;
  const auto endpoint = net::parse_otlp_endpoint(settings.tracing.otlp_endpoint);
  if (!endpoint) return spans;
  net::OtlpOptions options;
  options.endpoint = *endpoint;
  options.source = {"fixkeep-master", to_string(settings.core.self), std::string{obs::version()},
                    settings.links.cluster};
  spans.exporter_ = std::make_shared<net::OtlpExporter>(context, std::move(options));
  spans.sample_ = settings.tracing.sample;
  // The seed belongs to this run alone, because the incarnation is random.
  spans.seed_ = settings.core.incarnation.number();
  return spans;
}

SpanOptions Spans::options(std::uint64_t maker) const {
  SpanOptions made;
  if (!exporter_) return made;
  made.sink = [exporter = exporter_](obs::Span&& span) { exporter->add(std::move(span)); };
  made.sample = sample_;
  made.seed = seed_ + maker;
  return made;
}

void Spans::stop() {
  if (exporter_) exporter_->stop(std::chrono::milliseconds{500});
}

net::OtlpCounters Spans::counters() const {
  return exporter_ ? exporter_->counters() : net::OtlpCounters{};
}

}  // namespace fixkeep::master
