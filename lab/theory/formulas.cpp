#include "lab/theory/formulas.hpp"

#include <cmath>

#include "lock/core/mesh/quorum.hpp"

namespace fixkeep::lab_theory {
namespace {

// The mean number of other masters in a quorum.
double mean_quorum(lock::Quorum kind, std::size_t masters) {
  std::set<MasterId> all;
  for (std::size_t id = 1; id <= masters; ++id)
    all.insert(MasterId{static_cast<std::uint16_t>(id)});
  std::size_t others = 0;
  for (const MasterId self : all) {
    others += lock::Electorate{kind, all, self, {}}.still_to_ask({self}, all).size();
  }
  return static_cast<double>(others) / static_cast<double>(masters);
}

// The mean number of edges between two masters that follow each other in ascending order, in a
// binary tree: node 1 is the root, and node m is above 2m and 2m + 1.
double mean_distance(std::size_t masters) {
  std::size_t edges = 0;
  for (std::size_t id = 1; id <= masters; ++id) {
    std::size_t one = id;
    std::size_t other = id % masters + 1;
    for (; one != other; ++edges) (one > other ? one : other) /= 2;
  }
  return static_cast<double>(edges) / static_cast<double>(masters);
}

Formula exactly(std::string text, double value) {
  return {std::move(text), value, false};
}
Formula at_most(std::string text, double value) {
  return {std::move(text), value, true};
}

Formulas of_token(const std::string& strategy, std::size_t masters) {
  const auto n = static_cast<double>(masters);
  if (strategy == "suzuki-kasami") {
    return {exactly("N", n), exactly("N", n), exactly("1", 1),
            "Suzuki and Kasami, \"A Distributed Mutual Exclusion Algorithm\", 1985",
            "The masters take turns. A master that has the token already needs no message."};
  }
  if (strategy == "naimi-trehel") {
    const Formula of_turns = exactly("(4N-2)/(N+1)", (4 * n - 2) / (n + 1));
    return {
        of_turns, of_turns, exactly("1", 1),
        "Naimi, Trehel and Arnold, \"A log(N) distributed mutual exclusion algorithm based on "
        "path reversal\", 1996",
        "The masters take turns. If they ask at random, the mean is 1 + 1/2 + ... + 1/(N-1): "
        "Lavault, \"Analysis of an Efficient Distributed Algorithm for Mutual Exclusion\", 1992."};
  }
  if (strategy == "raymond") {
    return {
        exactly("2D", 2 * mean_distance(masters)), exactly("4(N-1)/N", 4 * (n - 1) / n),
        exactly("2(N-1)/N", 2 * (n - 1) / n),
        "Raymond, \"A Tree-Based Algorithm for Distributed Mutual Exclusion\", 1989",
        "D is the mean number of edges between two masters that take turns in a binary tree. If "
        "all wait, the token crosses each edge twice while each master holds once: the paper's "
        "4 messages. Surveys give a delay of (log2 N)/2 flights."};
  }
  return {};
}

}  // namespace

bool Formula::agrees(double measured) const {
  constexpr double tolerance = 0.02;
  if (text.empty()) return true;
  if (bound) return measured <= value * (1 + tolerance);
  return std::abs(measured - value) <= tolerance * value;
}

Formulas formulas_of(const std::string& strategy, std::size_t masters) {
  const auto n = static_cast<double>(masters);
  const double others = n - 1;
  if (strategy == "multiphase") {
    return {exactly("3(N-1)", 3 * others), exactly("3(N-1)", 3 * others),
            exactly("1 + 2/N", 1 + 2 / n), "FIX Keep, \"Multiphase Lock\"",
            "The document gives a delay of one flight. After all masters have held the lock once, "
            "a new "
            "round begins: this costs two flights more, once in N holds."};
  }
  if (strategy == "lamport") {
    return {exactly("3(N-1)", 3 * others), exactly("3(N-1)", 3 * others), exactly("1", 1),
            "Lamport, \"Time, Clocks, and the Ordering of Events in a Distributed System\", 1978",
            ""};
  }
  if (strategy == "ricart-agrawala") {
    return {exactly("2(N-1)", 2 * others), exactly("2(N-1)", 2 * others), exactly("1", 1),
            "Ricart and Agrawala, \"An Optimal Algorithm for Mutual Exclusion in Computer "
            "Networks\", 1981",
            ""};
  }
  if (strategy == "carvalho-roucairol") {
    return {exactly("2(N-1)", 2 * others), at_most("2(N-1)", 2 * others), exactly("1", 1),
            "Carvalho and Roucairol, \"On Mutual Exclusion in Computer Networks\", 1983",
            "0 to 2(N-1): the masters take turns, so all others have asked since a master's last "
            "hold. A master that holds twice in a row needs no message."};
  }
  if (strategy == "maekawa") {
    const double quorum = mean_quorum(lock::Quorum::grid, masters);
    return {
        exactly("3(K-1)", 3 * quorum), at_most("5(K-1)", 5 * quorum), at_most("2", 2),
        "Maekawa, \"A sqrt(N) Algorithm for Mutual Exclusion in Decentralized Systems\", 1985",
        "K is the mean size of a quorum: a row and a column of a grid, about twice the size of the "
        "paper's projective planes."};
  }
  if (strategy == "tree-quorum") {
    const double quorum = mean_quorum(lock::Quorum::tree, masters);
    return {
        exactly("3(K-1)", 3 * quorum), at_most("5(K-1)", 5 * quorum), at_most("2", 2),
        "Agrawal and El Abbadi, \"An Efficient and Fault-Tolerant Solution for Distributed Mutual "
        "Exclusion\", 1991",
        "K is the mean length of a path, log2(N+1) in a full tree. The votes are maekawa's."};
  }
  if (strategy == "coordinator") {
    return {exactly("3(N-1)/N", 3 * others / n), exactly("3(N-1)/N", 3 * others / n),
            exactly("2(N-1)/N", 2 * others / n), "a central coordinator",
            "The coordinator is one of the masters and sends itself no messages."};
  }
  if (strategy == "two-phase") {
    return {exactly("4(N-1)", 4 * others), exactly("4(N-1)", 4 * others), exactly("2", 2),
            "two-phase commit of a grant", ""};
  }
  return of_token(strategy, masters);
}

}  // namespace fixkeep::lab_theory
