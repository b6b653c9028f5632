#include "compiler/gcc/neighbors.h"

#include "photofinish/runtime_abi.h"

namespace photofinish::gcc {
namespace {

constexpr std::size_t kAsked = 64;  // only the last ones: blocks may be long

aff_tree sum_of(const Access& access) {
  aff_tree sum, part;
  aff_combination_const(&sum, sizetype, access.shift);
  for (tree one : access.parts) {
    tree_to_aff_combination(fold_convert(sizetype, one), sizetype, &part);
    aff_combination_add(&sum, &part);
  }
  return sum;
}

struct Near {
  Access* access;
  aff_tree sum;
  bool dropped = false;
};

// The distance from one address to another, if it is constant.
std::optional<std::int64_t> distance(const Near& from, const Near& to) {
  aff_tree difference = to.sum, other = from.sum;
  aff_combination_scale(&other, -1);
  aff_combination_add(&difference, &other);
  HOST_WIDE_INT bytes;
  if (difference.n != 0 || difference.rest != nullptr || !difference.offset.is_constant() ||
      !wi::fits_shwi_p(difference.offset.coeffs[0]))
    return {};
  bytes = difference.offset.coeffs[0].to_shwi();
  return bytes;
}

int line_of(const Access& access) { return gimple_lineno(access.statement); }

void drop_in(std::vector<Near>& segment) {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    Near& one = segment[i];
    for (std::size_t j = i < kAsked ? 0 : i - kAsked; j < segment.size() && j < i + kAsked; ++j) {
      Near& other = segment[j];
      if (i == j || other.dropped) continue;
      const bool same = one.access->writes == other.access->writes;
      if (!same && !(other.access->writes && line_of(*one.access) == line_of(*other.access)))
        continue;
      const auto at = distance(other, one);
      if (!at || *at < 0 ||
          static_cast<std::uint64_t>(*at) + one.access->bytes > other.access->bytes)
        continue;
      if (same && one.access->bytes == other.access->bytes && i < j) continue;
      one.dropped = true;
      break;
    }
  }
}

// Accesses without gaps, on one line and in one direction, become one, at the first of them.
void join_in(std::vector<Near>& segment) {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    Near& first = segment[i];
    if (first.dropped) continue;
    Access& access = *first.access;
    std::vector<std::pair<std::int64_t, Near*>> near = {{0, &first}};
    for (std::size_t j = i + 1; j < segment.size() && j < i + kAsked; ++j) {
      Near& other = segment[j];
      if (other.dropped || other.access->writes != access.writes ||
          line_of(*other.access) != line_of(access))
        continue;
      if (const auto at = distance(first, other)) near.emplace_back(*at, &other);
    }
    const auto end_of = [](const auto& one) {
      return one.first + static_cast<std::int64_t>(one.second->access->bytes);
    };
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto at_first = std::find_if(near.begin(), near.end(),
                                       [&](const auto& one) { return one.second == &first; });
    auto low = at_first, high = at_first;
    std::int64_t end = end_of(*at_first);
    while (low != near.begin() && end_of(low[-1]) >= low->first &&
           end - low[-1].first <= PHOTOFINISH_SPAN)
      --low;
    while (high + 1 != near.end() && high[1].first <= end &&
           end_of(high[1]) - low->first <= PHOTOFINISH_SPAN) {
      ++high;
      end = MAX(end, end_of(*high));
    }
    if (low == high) continue;
    for (auto one = low; one <= high; ++one) {
      access.align = MIN(access.align, one->second->access->align);
      one->second->dropped = one->second != &first;
    }
    access.shift += low->first;
    access.bytes = static_cast<std::uint64_t>(end - low->first);
  }
}

}  // namespace

void join_neighbors(std::vector<Access>& accesses, const QuietCalls& quiet) {
  std::vector<Access> kept;
  std::vector<Near> segment;
  const auto finish = [&] {
    drop_in(segment);
    join_in(segment);
    for (Near& near : segment)
      if (!near.dropped) kept.push_back(*near.access);
    segment.clear();
  };
  const gimple* last = nullptr;
  for (Access& access : accesses) {
    if (last != nullptr && gimple_bb(last) != gimple_bb(access.statement)) {
      finish();
    } else if (last != nullptr) {
      for (gimple_stmt_iterator at = gsi_for_stmt(const_cast<gimple*>(last));
           gsi_stmt(at) != access.statement; gsi_next(&at))
        if (!quiet.is_quiet(gsi_stmt(at))) {
          finish();
          break;
        }
    }
    last = access.statement;
    if (access.bytes == 0 || access.rows > 1 || access.releases) {
      finish();
      kept.push_back(access);
    } else {
      segment.push_back({&access, sum_of(access)});
    }
  }
  finish();
  accesses = std::move(kept);
}

}  // namespace photofinish::gcc
