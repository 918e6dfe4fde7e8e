// Decides whether a request may come from the page that it names.
//
// A page of any web site can send requests to a port of this machine. Two things keep it from
// driving a race:
// - Host must be "localhost" or the literal of an address. A site that makes its own name point to
//   our address (DNS rebinding) still sends that name.
// - Origin must be the page's own where a browser sends it. A change must be declared as JSON. No
//   browser sends this for another site without asking us first. We never agree.
// Thread rule: a pure function. Errors: the reason in words; empty: the request is allowed.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::client_sim {

struct RequestHead {
  std::string_view host;
  std::string_view origin;        // empty: no such header
  std::string_view content_type;  // empty: no such header
  bool changes = false;           // it is a POST
};

[[nodiscard]] std::string why_not_let_in(const RequestHead& head);

}  // namespace fixkeep::client_sim
