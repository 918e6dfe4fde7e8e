#include "master/http/dashboard/files.hpp"

#include "common/web/files.hpp"

namespace fixkeep::master {

// The build makes these functions from the files in this folder.
std::string_view dashboard_index_html() noexcept;
std::string_view dashboard_dashboard_css() noexcept;
std::string_view dashboard_dashboard_js() noexcept;
std::string_view dashboard_actions_js() noexcept;
std::string_view dashboard_charts_js() noexcept;
std::string_view dashboard_feed_js() noexcept;
std::string_view dashboard_lanes_js() noexcept;
std::string_view dashboard_pools_js() noexcept;
std::string_view dashboard_pools_view_js() noexcept;
std::string_view dashboard_rooms_view_js() noexcept;
std::string_view dashboard_state_js() noexcept;
std::string_view dashboard_times_js() noexcept;
std::string_view dashboard_words_js() noexcept;

namespace {

constexpr std::string_view html = "text/html; charset=utf-8";
constexpr std::string_view css = "text/css; charset=utf-8";
constexpr std::string_view javascript = "text/javascript; charset=utf-8";

// Foreign pages must not embed the dashboard: such a page could trick users into pressing the
// dashboard's buttons.
constexpr std::string_view not_in_frames = "\r\nContent-Security-Policy: frame-ancestors 'none'";

template <std::string_view (*text)() noexcept, const std::string_view& type>
void file(const ApiCall& call) {
  call.answer({.content_type = type, .body = std::string{text()}, .fields = not_in_frames});
}

}  // namespace

const net::Routes<ApiHandler>& dashboard_routes() {
  static const net::Routes<ApiHandler> table{
      {net::read_methods, "/", file<dashboard_index_html, html>},
      {net::read_methods, "/dashboard.css", file<dashboard_dashboard_css, css>},
      {net::read_methods, "/dashboard.js", file<dashboard_dashboard_js, javascript>},
      {net::read_methods, "/actions.js", file<dashboard_actions_js, javascript>},
      {net::read_methods, "/charts.js", file<dashboard_charts_js, javascript>},
      {net::read_methods, "/feed.js", file<dashboard_feed_js, javascript>},
      {net::read_methods, "/lanes.js", file<dashboard_lanes_js, javascript>},
      {net::read_methods, "/pools.js", file<dashboard_pools_js, javascript>},
      {net::read_methods, "/pools_view.js", file<dashboard_pools_view_js, javascript>},
      {net::read_methods, "/rooms_view.js", file<dashboard_rooms_view_js, javascript>},
      {net::read_methods, "/state.js", file<dashboard_state_js, javascript>},
      {net::read_methods, "/times.js", file<dashboard_times_js, javascript>},
      {net::read_methods, "/words.js", file<dashboard_words_js, javascript>},
      {net::read_methods, "/drawing.js", file<web::drawing_js, javascript>},
      {net::read_methods, "/uplot.js", file<web::uplot_js, javascript>},
      {net::read_methods, "/uplot.css", file<web::uplot_css, css>},
  };
  return table;
}

}  // namespace fixkeep::master
