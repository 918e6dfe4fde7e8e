// Whether this machine lets a program listen where its configuration says: for --check.
// Thread rule: free functions. Bounds: one socket, closed again at once. Errors: in words.
#pragma once

#include <string>

#include "common/config/document.hpp"

namespace fixkeep::config {

// Empty: it can be listened on, at this moment. Else why not, "Address already in use". Port 0:
// any.
[[nodiscard]] std::string why_not_listen(const std::string& address, std::uint16_t port);

// Reports at `key` if it cannot be listened on.
void check_listening(const Document& document, const std::string& key, const std::string& address,
                     std::uint16_t port, Problems& problems);

}  // namespace fixkeep::config
