// A table of routes: the handlers of methods and paths. A new route is one line.
//
//   const Routes<Handler> routes{{"POST", "/v1/match", match},
//                                {"GET, HEAD", "/v1/rooms/{room}", room}};
//
// Methods are written as in the Allow header, or any_method. A pattern has at most two parameters
// in braces. A parameter in the middle of a segment or of the path takes at least one byte and no
// slash. Such a parameter ends before the pattern's next text. A parameter at the end takes the
// rest of the path, which may be empty or contain slashes: the handler must check this rest. The
// first matching row is used.
//
// The table only finds the handler. The table's owner calls the handler. The owner also answers
// unknown pages (404) and wrong methods (405 with Allow; 501 in REST of Agones) in its own words.
//
// Boost.URL is not used: it would only replace percent_decoded() and add its sources to every
// build. Thread rule: a table does not change; any thread. Bounds: two parameters a pattern.
// Errors: a malformed pattern fails an assertion when the table is made.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::net {

inline constexpr std::string_view any_method = "*";
inline constexpr std::string_view read_methods = "GET, HEAD";

// The parameters are percent-encoded views of the path. Unused parameters are empty.
using PathParameters = std::array<std::string_view, 2>;

class RoutePattern {
 public:
  explicit RoutePattern(std::string_view pattern);

  // Returns true if the path fits. Changes the parameters only in this case.
  [[nodiscard]] bool fits(std::string_view path, PathParameters& parameters) const;

 private:
  // The texts before, between and after the parameters: one text more than parameters.
  std::vector<std::string> literals_;
};

// Returns true if `methods`, written as in the table, include `method`.
[[nodiscard]] bool names_method(std::string_view methods, std::string_view method);

// A target's path and query, without the question mark between them.
struct SplitTarget {
  std::string_view path;
  std::string_view query;
};
[[nodiscard]] SplitTarget split_target(std::string_view target);

template <class Handler>
class Routes {
 public:
  struct Row {
    std::string_view methods;  // a literal
    std::string_view pattern;
    Handler handler;
  };
  struct Found {
    const Handler* handler = nullptr;  // null: no row has this path and this method
    PathParameters parameters;         // parameters of the requested path
    std::string allow;                 // allowed methods of the path; empty: unknown path
  };

  Routes(std::initializer_list<Row> rows) {
    rows_.reserve(rows.size());
    for (const Row& row : rows) {
      rows_.push_back({row.methods, RoutePattern{row.pattern}, row.handler});
    }
  }

  // REQUIRES: `path` has no query, and `method` is in capitals.
  [[nodiscard]] Found find(std::string_view method, std::string_view path) const {
    Found found;
    for (const Known& row : rows_) {
      if (!row.pattern.fits(path, found.parameters)) continue;
      if (names_method(row.methods, method)) {
        found.handler = &row.handler;
        found.allow.clear();
        return found;
      }
      found.allow.append(found.allow.empty() ? "" : ", ").append(row.methods);
    }
    return found;
  }

 private:
  struct Known {
    std::string_view methods;
    RoutePattern pattern;
    Handler handler;
  };
  std::vector<Known> rows_;
};

}  // namespace fixkeep::net
