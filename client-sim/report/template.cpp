#include "client-sim/report/template.hpp"

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "client-sim/report/svg_text.hpp"
#include "common/base/assert.hpp"

namespace fixkeep::client_sim {

namespace {

namespace mustache = kainjow::mustache;

mustache::data to_data(const nlohmann::json& value) {
  if (value.is_object()) {
    mustache::data object{mustache::data::type::object};
    for (const auto& [name, member] : value.items()) object.set(name, to_data(member));
    return object;
  }
  if (value.is_array()) {
    mustache::data list{mustache::data::type::list};
    for (const auto& element : value) list.push_back(to_data(element));
    return list;
  }
  if (value.is_string()) return {value.get_ref<const std::string&>()};
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_null()) return {false};
  return {value.dump()};
}

}  // namespace

std::string fill_template(std::string_view text, const nlohmann::json& values) {
  mustache::mustache filled{std::string{text}};
  filled.set_custom_escape([](const std::string& value) { return escape_html(value); });
  auto html = filled.render(to_data(values));
  FIXKEEP_ASSERT(filled.is_valid(), filled.error_message());
  return html;
}

}  // namespace fixkeep::client_sim
