#include "master/shell/setting_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/config/sections.hpp"
#include "common/net/otlp/exporter.hpp"
#include "master/modes/rules_check.hpp"
#include "master/rules/equal_attribute.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

using config::CrossCheck;
using config::Json;

void check_bands(const config::Document& document, config::Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string mode = config::entry_key("modes", m);
    const std::string bands = mode + ".bands";
    config::check_unique(document, bands, "attribute", problems);
    if (!check.can_judge({mode + ".attributes", bands})) continue;
    const auto attributes =
        config::find(document.root(), mode + ".attributes")->get<std::vector<std::string>>();
    const Json& list = *config::find(document.root(), bands);
    for (std::size_t b = 0; b < list.size(); ++b) {
      const std::string band = config::entry_key(bands, b);
      const auto& attribute = list[b].at("attribute").get_ref<const std::string&>();
      if (std::find(attributes.begin(), attributes.end(), attribute) != attributes.end()) {
        check.report(
            band + ".attribute",
            fmt::format("must not stand in {}.attributes too, is \"{}\"", mode, attribute));
      }
      const auto edges = list[b].at("edges").get<std::vector<std::int64_t>>();
      const auto wrong = std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>{});
      if (wrong != edges.end()) {
        const auto index = static_cast<std::size_t>(wrong - edges.begin()) + 1;
        check.report(
            config::entry_key(band + ".edges", index),
            fmt::format("must be more than the edge before it ({}), is {}", *wrong, edges[index]));
      }
    }
  }
}

void check_tracing(const config::Document& document, config::Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"tracing.otlp_endpoint"})) return;
  const auto& text =
      config::find(document.root(), "tracing.otlp_endpoint")->get_ref<const std::string&>();
  if (text.empty() || net::parse_otlp_endpoint(text)) return;
  check.report(
      "tracing.otlp_endpoint",
      "must be \"http://HOST:PORT/PATH\", like \"http://127.0.0.1:4318/v1/traces\", is \"" + text +
          "\"");
}

void check_values(const config::Document& document, config::Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string mode = config::entry_key("modes", m);
    if (!check.can_judge({mode + ".attributes", mode + ".values"})) continue;
    const auto attributes = (*modes)[m].at("attributes").get<std::vector<std::string>>();
    for (const auto& [name, values] : (*modes)[m].at("values").items()) {
      const std::string key = config::member_key(mode + ".values", name);
      if (std::find(attributes.begin(), attributes.end(), name) == attributes.end()) {
        check.report(key, "must name one of " + mode + ".attributes");
      }
      for (std::size_t v = 0; v < values.size(); ++v) {
        if (values[v].get_ref<const std::string&>().size() <= attribute_bytes) continue;
        check.report(config::entry_key(key, v),
                     fmt::format("must have at most {} bytes: a longer one is never accepted",
                                 attribute_bytes));
      }
    }
  }
}

void check_rules_of_modes(const config::Document& document, config::Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string mode = config::entry_key("modes", m);
    const auto unsound = [&](const char* rules) {
      return (*modes)[m].contains(rules) && !check.can_judge({mode + "." + rules});
    };
    if (!check.can_judge({mode + ".attributes", mode + ".join"})) continue;
    if (unsound("rules") || unsound("rules_shadow")) continue;
    check_rules(document, mode, problems);
    if (config::find(document.root(), mode + ".rules") == nullptr) continue;
    const auto join = (*modes)[m].at("join").get<std::vector<std::string>>();
    if (std::find(join.begin(), join.end(), "room_id") == join.end()) continue;
    check.report(mode + ".join",
                 "must not list \"room_id\" beside rules, which decide on the players of a room");
  }
}

// Without the secret a master cannot read codes from other masters.
void check_codes(const config::Document& document, std::string_view secret,
                 config::Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (!secret.empty() || modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string join = config::entry_key("modes", m) + ".join";
    if (!check.can_judge({join})) continue;
    const Json& listed = *config::find(document.root(), join);
    if (std::find(listed.begin(), listed.end(), "code") == listed.end()) continue;
    check.report(join,
                 "must not list \"code\" without cluster.secret, by which masters know each "
                 "other's codes: give one, also beside certificates");
  }
}

void check_warm(const config::Document& document, config::Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string warm = config::entry_key("modes", m) + ".warm";
    if (!check.can_judge({warm + ".min", warm + ".max"})) continue;
    const auto least = check.number(warm + ".min");
    const auto most = check.number(warm + ".max");
    if (least <= most) continue;
    check.report(warm + ".min",
                 fmt::format("must be at most {}.max ({}), is {}", warm, most, least));
  }
}

}  // namespace fixkeep::master
