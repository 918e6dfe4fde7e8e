#include "lab/replay/optimum.hpp"

#include <lemon/full_graph.h>
#include <lemon/matching.h>

#include <cmath>

namespace fixkeep::client_sim::replay {

Optimum best_pairs(const std::vector<Point>& points, double lambda) {
  Optimum best;
  if (points.empty() || points.size() % 2 != 0 || points.size() > optimum_most) return best;
  // A weight is the negative of a pair's cost, in thousandths. The algorithm finds the pairs with
  // the largest sum of weights, and is exact only for whole numbers.
  using Weight = std::int64_t;
  const lemon::FullGraph graph{static_cast<int>(points.size())};
  lemon::FullGraph::EdgeMap<Weight> weights{graph};
  const auto point = [&](lemon::FullGraph::Node node) -> const Point& {
    return points[static_cast<std::size_t>(graph.index(node))];
  };
  const auto apart_s = [](const Point& a, const Point& b) {
    return std::abs(static_cast<double>((a.at - b.at).count())) / 1e6;
  };
  for (lemon::FullGraph::EdgeIt edge{graph}; edge != lemon::INVALID; ++edge) {
    const Point& a = point(graph.u(edge));
    const Point& b = point(graph.v(edge));
    const double cost = static_cast<double>(std::abs(a.number - b.number)) + lambda * apart_s(a, b);
    weights[edge] = -static_cast<Weight>(std::llround(cost * 1'000));
  }
  lemon::MaxWeightedPerfectMatching<lemon::FullGraph, lemon::FullGraph::EdgeMap<Weight>> matching{
      graph, weights};
  if (!matching.run()) return best;
  for (lemon::FullGraph::EdgeIt edge{graph}; edge != lemon::INVALID; ++edge) {
    if (!matching.matching(edge)) continue;
    const Point& a = point(graph.u(edge));
    const Point& b = point(graph.v(edge));
    best.distances.push_back(static_cast<double>(std::abs(a.number - b.number)));
    best.waits_s.push_back(apart_s(a, b));
  }
  best.cost = -static_cast<double>(matching.matchingWeight()) / 1'000;
  return best;
}

}  // namespace fixkeep::client_sim::replay
