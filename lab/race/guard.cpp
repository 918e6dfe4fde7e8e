#include "lab/race/guard.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

namespace fixkeep::client_sim {

namespace {

// Removes port and brackets from "localhost:8090" or "[::1]:8090".
std::string_view name_of_host(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end == std::string_view::npos ? std::string_view{} : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

bool has_no_foreign_name(std::string_view host) {
  const auto name = name_of_host(host);
  if (boost::beast::iequals(name, "localhost")) return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string{name}, error);
  return !error;
}

bool is_json(std::string_view content_type) {
  const auto kind = content_type.substr(0, content_type.find(';'));
  return boost::beast::iequals(kind, "application/json");
}

}  // namespace

std::string why_not_let_in(const RequestHead& head) {
  if (!has_no_foreign_name(head.host)) {
    return "Host must be localhost or an address, like 127.0.0.1";
  }
  if (!head.origin.empty() &&
      !boost::beast::iequals(head.origin, "http://" + std::string{head.host})) {
    return "a page of another origin may not ask";
  }
  if (head.changes && !is_json(head.content_type)) {
    return "Content-Type must be application/json";
  }
  return {};
}

}  // namespace fixkeep::client_sim
