// Divides the file descriptors of a process among its uses before any of them is opened.
//
// A node needs its mesh links most, but players may connect earlier. Without shares, idle clients
// could keep a node off its mesh, and a worker could accept rooms that it can never open. Each use
// gets a share. The configured limit of a use is lowered to its share.
//
// If the wanted numbers do not fit together, the shares are max-min fair. A use that wants less
// than an equal part gets its wanted number. The other uses divide the rest equally.
//
// Sans-IO. Thread rule: free functions. Errors: no shares if the minimums of all uses do not fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

struct DescriptorUse {
  std::size_t wanted = 0;
  std::size_t least = 0;  // minimum; not above `wanted`
};

// Returns the shares in the order of their uses. Empty if all minimums together exceed
// `descriptors`.
[[nodiscard]] std::vector<std::size_t> share_descriptors(std::size_t descriptors,
                                                         const std::vector<DescriptorUse>& uses);

// Descriptors outside the shares: three standard streams, Asio's own and the listeners. A few more
// are open for a moment: for a name lookup, a file of /proc or a pipe to a new process.
inline constexpr std::size_t fixed_descriptors = 28;

// Returns the need of an HTTP server: its connections, and the connections that are open only until
// they are refused.
[[nodiscard]] DescriptorUse http_use(const HttpOptions& options);
void fit_http(HttpOptions& options, std::size_t share);

// Returns a text for the operator. The text names the present limit, which is too low, and a
// sufficient limit.
[[nodiscard]] std::string too_few_descriptors(std::size_t limit, std::size_t needed);

// Logs a warning if the value of `key` was lowered.
void warn_if_lowered(std::string_view key, std::size_t from, std::size_t to, std::size_t limit);

}  // namespace fixkeep::net
