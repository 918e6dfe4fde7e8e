// The file descriptors of a process are shared out here before any of them is opened.
//
// Links of the mesh come first in what a node is for, yet players' connections come first in time:
// without shares, clients that merely connect keep a node off its mesh, and a worker accepts rooms
// that it can never open. So each use has its share, and its limit is lowered to it.
//
// When everything that is wanted does not fit, the shares are max-min fair: a use that wants
// less than an equal part gets all of it, the others divide the rest equally.
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
  std::size_t least = 0;  // at most `wanted`
};

// One share a use, in their order. Empty: the least of all of them do not fit into `descriptors`.
[[nodiscard]] std::vector<std::size_t> share_descriptors(std::size_t descriptors,
                                                         const std::vector<DescriptorUse>& uses);

// A process has these open beside its shares: the three standard ones, those of Asio, listeners,
// and a few for what is opened for a moment (look-ups of names, /proc, a pipe to a new process).
inline constexpr std::size_t fixed_descriptors = 28;

// An HTTP server needs more than its connections: those that it turns away.
[[nodiscard]] DescriptorUse http_use(const HttpOptions& options);
void fit_http(HttpOptions& options, std::size_t share);

// For the operator: what does not fit, and what would.
[[nodiscard]] std::string too_few_descriptors(std::size_t limit, std::size_t needed);

// Warns in the log that the value of `key` was lowered, if it was.
void warn_if_lowered(std::string_view key, std::size_t from, std::size_t to, std::size_t limit);

}  // namespace fixkeep::net
