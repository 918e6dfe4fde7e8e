// Decides whether a request is allowed: a browser may send requests only for our own page.
//
// A page of any web site can send requests to a port of this machine. Two checks prevent such a
// page from controlling a race:
// - Host must be "localhost" or a literal address. If a site's name resolves to our address (DNS
//   rebinding), the browser sends the site's name as Host.
// - Origin, if a browser sends it, must be our own page. A change must have the content type JSON.
//   Before a browser sends JSON for the page of another site, it asks our server for permission,
//   which our server never gives.
// Thread rule: a pure function. Errors: the reason in words; empty: the request is allowed.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::client_sim {

struct RequestHead {
  std::string_view host;
  std::string_view origin;        // empty: header missing
  std::string_view content_type;  // empty: header missing
  bool changes = false;           // true for POST
};

[[nodiscard]] std::string why_not_let_in(const RequestHead& head);

}  // namespace fixkeep::client_sim
