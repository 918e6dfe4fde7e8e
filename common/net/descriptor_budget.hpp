// The file descriptors of a process are shared out here before any is opened.
//
// Links of the mesh matter most to a node but players may connect earlier. Without shares, idle
// clients keep a node off its mesh and a worker accepts rooms that it can never open. Each use has
// its share. Its limit is lowered to it.
//
// When the wishes do not fit the shares are max-min fair. A use that wants less than an equal part
// gets all of it. The others divide the rest equally.
//
// Sans-IO. Thread rule: free functions. Errors: no shares if the least of each does not fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

struct DescriptorUse {
  std::size_t wanted = 0;
  std::size_t least = 0;  // not above `wanted`
};

// The shares in the order of their uses. Empty: the least of all of them do not fit into
// `descriptors`.
[[nodiscard]] std::vector<std::size_t> share_descriptors(std::size_t descriptors,
                                                         const std::vector<DescriptorUse>& uses);

// Descriptors beside the shares: three standard streams, Asio's own and the listeners. A few are
// open for a moment: for a look-up of a name, a file of /proc or a pipe to a new process.
inline constexpr std::size_t fixed_descriptors = 28;

// An HTTP server needs more than its connections: those that it turns away.
[[nodiscard]] DescriptorUse http_use(const HttpOptions& options);
void fit_http(HttpOptions& options, std::size_t share);

// For the operator: the limit that is too low and one that is enough.
[[nodiscard]] std::string too_few_descriptors(std::size_t limit, std::size_t needed);

// Warns in the log if the value of `key` was lowered.
void warn_if_lowered(std::string_view key, std::size_t from, std::size_t to, std::size_t limit);

}  // namespace fixkeep::net
