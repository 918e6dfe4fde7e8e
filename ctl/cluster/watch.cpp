#include "ctl/cluster/watch.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "common/base/printable.hpp"

namespace fixkeep::ctl {
namespace {

using OrderedJson = nlohmann::ordered_json;  // keeps the master's order of fields
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int attempts_most = 60;
// A stream that is silent for this time is broken: a master sends something at least every 15 s.
constexpr seconds stream_silence{60};

struct WatchOptions {
  Access access;
  int seconds = 0;  // 0: until an interrupt
  bool past = false;
};

class Watch {
 public:
  Watch(const WatchOptions& options, std::ostream& out) : options_(options), out_(out) {
    if (options.seconds > 0) end_ = steady_clock::now() + seconds{options.seconds};
  }

  [[nodiscard]] bool over() const { return end_ && steady_clock::now() >= *end_; }
  [[nodiscard]] milliseconds patience() const {
    if (!end_) return stream_silence;
    const auto left = std::chrono::ceil<milliseconds>(*end_ - steady_clock::now());
    return std::clamp(left, milliseconds{1}, milliseconds{stream_silence});
  }
  [[nodiscard]] const std::string& last() const { return last_; }

  bool take(const std::string& id, const std::string& data) {
    const bool is_snapshot = last_.empty();
    last_ = id;
    const auto frame = OrderedJson::parse(data, nullptr, false);
    if (!frame.is_object()) return true;
    if (is_snapshot && !options_.access.json) {
      out_ << fmt::format("{} of cluster {} is watched\n", printable(frame.value("node", "")),
                          printable(frame.value("cluster", "")));
    }
    if (!is_snapshot || options_.past) print(frame);
    out_ << std::flush;
    return !over();
  }

 private:
  void print(const OrderedJson& frame) {
    const auto events = frame.find("events");
    if (events == frame.end() || !events->is_array()) return;
    for (const OrderedJson& event : *events) {
      out_ << (options_.access.json
                   ? event.dump(-1, ' ', true, OrderedJson::error_handler_t::replace)
                   : line_of(event))
           << '\n';
    }
    if (const auto missed = frame.value("missed", 0); missed > 0) {
      out_ << fmt::format("and {} more, too many to tell\n", missed);
    }
  }

  const WatchOptions& options_;
  std::ostream& out_;
  std::optional<steady_clock::time_point> end_;
  std::string last_;
};

int watch(const WatchOptions& options, std::ostream& out, std::ostream& err) {
  const auto nodes = nodes_of(options.access);
  if (const auto* const problem = std::get_if<std::string>(&nodes)) return fail(err, *problem);
  const NodeClient& node = std::get<0>(nodes).front();
  Watch watched{options, out};
  for (int attempt = 0; attempt < attempts_most; ++attempt) {
    bool any = false;
    auto ended = node.follow("/v1/events", watched.last(), watched.patience(),
                             [&](const std::string& id, const std::string& data) {
                               any = true;
                               return watched.take(id, data);
                             });
    if (watched.over()) return 0;
    const auto why = said(node, std::move(ended)).problem;
    if (watched.last().empty()) return fail(err, why);
    if (any) {
      attempt = 0;
      err << "fixkeepctl: " << why << "; it is tried again\n";
    }
    std::this_thread::sleep_for(seconds{1});
  }
  return fail(err, to_string(node.url()) + " does not come back");
}

}  // namespace

std::string line_of(const OrderedJson& event) {
  if (!event.is_object()) return "?";
  constexpr std::int64_t us_per_ms = 1000;
  constexpr std::int64_t ms_per_s = 1000;
  const auto at = event.value("at_us", std::int64_t{0}) / us_per_ms;
  const std::chrono::sys_seconds time{seconds{at / ms_per_s}};
  std::string line = fmt::format("{:%H:%M:%S}.{:03} {}", time, at % ms_per_s,
                                 printable(event.value("event", "?")));
  for (const auto& [key, value] : event.items()) {
    if (key == "at_us" || key == "event" || key == "number" || value.is_null()) continue;
    line += fmt::format(" {}={}", printable(key),
                        printable(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return line;
}

void add_watch(CLI::App& app, Run& run) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* const made =
      add_command(app, run, options, "watch", "shows what happens, as a master sees it", watch,
                  "on masters; the first one is watched");
  made->add_option("--for-s", options->seconds, "length; default: until it is interrupted")
      ->check(CLI::Range(1, 86'400))
      ->default_str("");
  made->add_flag("--past", options->past, "with the last events before now");
}

}  // namespace fixkeep::ctl
