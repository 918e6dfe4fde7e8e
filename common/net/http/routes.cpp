#include "common/net/http/routes.hpp"

#include <algorithm>

#include "common/base/assert.hpp"

namespace fixkeep::net {

RoutePattern::RoutePattern(std::string_view pattern) {
  for (std::string_view rest = pattern;;) {
    const auto open = rest.find('{');
    literals_.emplace_back(rest.substr(0, open));
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    FIXKEEP_ASSERT(close != std::string_view::npos, std::string{pattern});
    rest.remove_prefix(close + 1);
    // Two parameters without a text between them would have no clear boundary.
    FIXKEEP_ASSERT(!rest.starts_with('{'), std::string{pattern});
  }
  FIXKEEP_ASSERT(literals_.size() <= PathParameters{}.size() + 1, std::string{pattern});
}

bool RoutePattern::fits(std::string_view path, PathParameters& parameters) const {
  PathParameters taken;
  if (!path.starts_with(literals_.front())) return false;
  path.remove_prefix(literals_.front().size());
  for (std::size_t i = 1; i < literals_.size(); ++i) {
    const std::string& literal = literals_[i];
    const bool last = i + 1 == literals_.size();
    std::size_t end = path.size();
    if (!last) {
      end = path.find(literal);
    } else if (!literal.empty()) {
      end = path.ends_with(literal) ? path.size() - literal.size() : std::string_view::npos;
    }
    if (end == std::string_view::npos) return false;
    taken[i - 1] = path.substr(0, end);
    const bool takes_all = last && literal.empty();
    if (!takes_all && (end == 0 || taken[i - 1].find('/') != std::string_view::npos)) return false;
    path.remove_prefix(end + literal.size());
  }
  if (!path.empty()) return false;
  parameters = taken;
  return true;
}

bool names_method(std::string_view methods, std::string_view method) {
  if (methods == any_method) return true;
  while (!methods.empty()) {
    const auto one = methods.substr(0, methods.find(", "));
    if (one == method) return true;
    methods.remove_prefix(std::min(one.size() + 2, methods.size()));
  }
  return false;
}

SplitTarget split_target(std::string_view target) {
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

}  // namespace fixkeep::net
