// Ids. Each kind is a type of its own, so that mixing them does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace photofinish {

template <class Tag, class Rep>
struct Id {
  Rep value{};
  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  constexpr auto operator<=>(const Id&) const = default;
};

// A process by its rank in MPI_COMM_WORLD. Negative values are the constants below. Ranks of other
// communicators are integers in arguments of MPI; the front end translates them at once, so events
// and everything after them know world ranks only.
using WorldRank = Id<struct WorldRankTag, std::int32_t>;

inline constexpr WorldRank kAnySource{-1};
inline constexpr WorldRank kProcNull{-2};
// A process outside of MPI_COMM_WORLD (spawned or connected).
inline constexpr WorldRank kExternalRank{-3};
// MPI_ROOT: the caller is the root of an intercommunicator's collective.
inline constexpr WorldRank kRootHere{-4};
inline constexpr std::int64_t kAnyTag = -1;

// Objects of one rank, numbered as they are first seen. Zero is the null handle. One object on
// several ranks has the same Uid, which each rank computes without communication.
using TaskId = Id<struct TaskTag, std::uint32_t>;
using SiteId = Id<struct SiteTag, std::uint32_t>;
using ModuleId = Id<struct ModuleTag, std::uint32_t>;
using CommId = Id<struct CommTag, std::uint32_t>;
using GroupId = Id<struct GroupTag, std::uint32_t>;
using TypeId = Id<struct TypeTag, std::uint32_t>;
using OpId = Id<struct OpTag, std::uint32_t>;
using WinId = Id<struct WinTag, std::uint32_t>;
using TextId = Id<struct TextTag, std::uint32_t>;
using SamplingId = Id<struct SamplingTag, std::uint32_t>;
using BlockId = Id<struct BlockTag, std::uint32_t>;
using IncompleteId = Id<struct IncompleteTag, std::uint32_t>;
using RequestId = Id<struct RequestTag, std::uint64_t>;
using MessageId = Id<struct MessageTag, std::uint64_t>;
using Uid = Id<struct UidTag, std::uint64_t>;

}  // namespace photofinish

template <class Tag, class Rep>
struct std::hash<photofinish::Id<Tag, Rep>> {
  std::size_t operator()(photofinish::Id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>()(id.value);
  }
};
