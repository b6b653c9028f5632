// The encoded form of what accesses and edges consist of (trace/codec.h).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/access.h"

namespace photofinish {

template <class A>
void describe_knowledge(A& a, Knowledge& d) {
  std::vector<Timestamp> known = d != nullptr ? *d : std::vector<Timestamp>();
  a(known);
  if (!known.empty() && d == nullptr)
    d = std::make_shared<const std::vector<Timestamp>>(std::move(known));
}
template <class A>
void describe(A& a, Element& d) {
  a(d.kind, d.size);
}
template <class A>
void describe(A& a, Lock& d) {
  a(d.win, d.target, d.exclusive, d.since);
}
template <class A>
void describe(A& a, Delivery& d) {
  a(d.lane, d.stage);
}
template <class A>
void describe(A& a, Epoch& d) {
  a(d.kind, d.index);
}

}  // namespace photofinish
