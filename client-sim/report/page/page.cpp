#include "client-sim/report/page/page.hpp"

#include <array>
#include <utility>

#include "common/web/files.hpp"

namespace fixkeep::client_sim {

// The build generates these functions from the files in this folder.
std::string_view report_html() noexcept;
std::string_view report_css() noexcept;
std::string_view runs_js() noexcept;
std::string_view locks_js() noexcept;
std::string_view own_locks_js() noexcept;
std::string_view pools_js() noexcept;
std::string_view replay_js() noexcept;
std::string_view theory_js() noexcept;
std::string_view report_js() noexcept;

namespace {

// Replaces each "<" by \u003c, so that no text can end the script. In JSON a "<" occurs only in
// strings, where \u003c has the same meaning.
std::string without_tags(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string report_page(std::string_view json) {
  std::string style{web::uplot_css()};
  style += report_css();
  std::string script{web::uplot_js()};
  for (const auto part : {web::drawing_js(), runs_js(), locks_js(), own_locks_js(), pools_js(),
                          replay_js(), theory_js(), report_js()}) {
    script += part;
  }
  const std::array<std::pair<std::string_view, std::string>, 3> parts{
      {{"{{style}}", style}, {"{{data}}", without_tags(json)}, {"{{script}}", script}}};
  std::string page;
  std::string_view rest = report_html();
  for (const auto& [mark, part] : parts) {
    const auto at = rest.find(mark);
    page += rest.substr(0, at);
    page += part;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

}  // namespace fixkeep::client_sim
