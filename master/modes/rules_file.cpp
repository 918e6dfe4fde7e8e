#include "master/modes/rules_file.hpp"

#include <utility>

#include "common/config/loader.hpp"
#include "common/config/schema.hpp"
#include "master/modes/mode_json.hpp"
#include "master/modes/rules_check.hpp"

namespace fixkeep::master {
namespace {

using config::Json;

config::Schema schema_of_a_mode() {
  Mode mode;
  auto schema = config::Fields::schema("mode", "", [&](auto& fields) { describe(fields, mode); });
  Json with_rules = Json::parse(schema);
  with_rules.at("required").push_back("rules");
  return config::Schema{with_rules.dump()};
}

std::variant<Mode, config::Problems> judge_and_read(config::Document document,
                                                    config::Problems problems) {
  static const config::Schema schema = schema_of_a_mode();
  if (problems.empty()) {
    schema.fill_defaults(document);
    schema.validate(document, problems);
    check_rules(document, "", problems);
  }
  if (problems.empty()) return read_mode(document.root());
  sort(problems);
  return problems;
}

}  // namespace

std::variant<Mode, config::Problems> read_rules_file(const std::string& path) {
  config::Problems problems;
  auto document = config::Document::from_file(path, problems);
  return judge_and_read(std::move(document), std::move(problems));
}

std::variant<Mode, config::Problems> read_rules(const std::string& name, std::string_view text) {
  config::Problems problems;
  auto document = config::Document::from_text(name, text, problems);
  return judge_and_read(std::move(document), std::move(problems));
}

}  // namespace fixkeep::master
