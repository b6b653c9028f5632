// The accesses of a rank: their bytes, and which of them are open.
#include <algorithm>

#include "effects/meaning.h"
#include "effects/timeline.h"
#include "memory/overlap.h"

namespace photofinish {

bool Timeline::alone() const {
  return regions_.empty() && unfinished_.empty() && !many_threads_ && tasks_ == nullptr &&
         (meaning_ == nullptr || meaning_->is_idle());
}

template <class Visit>
void Timeline::each_open(Visit visit) {
  if (meaning_ != nullptr) meaning_->each_pending(visit);
  for (Access& access : unfinished_) visit(access);
  for (const auto& region : regions_)
    for (auto& [target, operations] : region->operations_)
      for (Pending& pending : operations.pending)
        if (!pending.over) visit(pending.access);
}

std::uint64_t Timeline::site_key(SiteId site) const {
  if (!wants_sites_) [[unlikely]]
    return 0;
  if (last_site_key_.first != site) {
    const auto [entry, fresh] = site_keys_.try_emplace(site, 0);
    if (fresh) entry->second = call_site_key(definitions_, site);
    last_site_key_ = *entry;
  }
  return scopes_.key_of(last_site_key_.second);
}

const Timeline::Type* Timeline::type(TypeId id) const {
  if (last_type_.second != nullptr && last_type_.first == id) return last_type_.second;
  auto known = types_.find(id);
  if (known == types_.end()) {
    const auto found = definitions_.types.find(id);
    if (found == definitions_.types.end()) return nullptr;
    known = types_.emplace(id, Type{.map = &found->second.map, .footprint = nullptr}).first;
  }
  last_type_ = {id, &known->second};
  return last_type_.second;
}

void Timeline::set_bytes(Access& access, const Buffer& buffer, std::uint64_t base) const {
  if (buffer.count <= 0) return;
  const auto offset = static_cast<std::int64_t>(base);
  const Type* type = buffer.type != TypeId(0) ? this->type(buffer.type) : nullptr;
  if (type == nullptr) {
    access.footprint = Footprint(offset, buffer.count);
    return;
  }
  const DataMap& map = *type->map;
  if (map.contiguous()) {
    access.footprint =
        Footprint(offset + map.footprint[0].offset, map.footprint[0].length * buffer.count);
  } else if (buffer.count != 1) {
    access.footprint = Footprint(repeated(map, buffer.count).footprint);
    access.footprint.move_by(offset);
  } else {
    if (type->footprint == nullptr)
      const_cast<Type*>(type)->footprint =
          std::make_shared<const std::vector<Strided>>(map.footprint);
    access.footprint = Footprint(offset, type->footprint);
  }
}

Access Timeline::make(const Event& event, AccessKind kind, const Buffer& buffer,
                      bool pending) const {
  Access access;
  set(access, event, kind, buffer, pending);
  return access;
}

void Timeline::set(Access& access, const Event& event, AccessKind kind, const Buffer& buffer,
                   bool pending) const {
  access.rank = access.owner = rank_;
  access.kind = kind;
  access.pending = pending;
  access.call = event.call;
  access.site = event.site;
  access.site_key = site_key(event.site);
  access.begin = start_;
  access.known = known();
  access.after = last_sync_point();
  access.locks = held_set_;
  set_bytes(access, buffer, buffer.address);
  access.reachable = pending && exposed(access);
  if (kind == AccessKind::Store) last_write_ = start_;
}

std::vector<Access> Timeline::buffers_of(const Event& event, bool pending) const {
  std::vector<Access> accesses;
  if (!makes_accesses_ || (!pending && event.buffers.size() == 1 && alone())) return accesses;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access > BufferUse::ReadWrite) continue;  // memory of another rank
    // Other tasks run during the call.
    add_access(accesses,
               make(event, buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store,
                    buffer, pending || tasks_ != nullptr));
  }
  return accesses;
}

// All that one site loads, or stores, in one event is one access, whatever the number of pieces.
// Usually the footprint is the same as the last time, and is reused.
std::vector<Access> Timeline::touched_by(const Event& event) {
  std::vector<Access> accesses;
  if (!makes_accesses_ || event.buffers.empty() || alone()) return accesses;
  Access all = make(
      event, event.buffers.front().access == BufferUse::Read ? AccessKind::Load : AccessKind::Store,
      event.buffers.front(), false);
  if (event.buffers.size() > 1) {
    // Relative to the first piece: a program with two buffers uses them in turn.
    const std::uint64_t base = event.buffers.front().address;
    std::vector<Strided> footprint;
    Access piece;
    for (const Buffer& buffer : event.buffers) {
      set_bytes(piece, buffer, buffer.address - base);
      for (std::size_t i = 0; i < piece.footprint.size(); ++i)
        footprint.push_back(piece.footprint[i]);
    }
    SharedFootprint& last = buffer_[event.site];
    if (last == nullptr || *last != footprint)
      last = std::make_shared<const std::vector<Strided>>(std::move(footprint));
    all.footprint = Footprint(static_cast<std::int64_t>(base), last);
  }
  add_access(accesses, std::move(all));
  return accesses;
}

// Splits an access to own memory, or through shared windows to memory of others, by owner. Most
// accesses lie in one part. Others often have the footprint of the last one of their site, and are
// split in the same way.
void Timeline::add_access(std::vector<Access>& accesses, Access access) const {
  const auto is_own = [&](const Segments::Segment* segment) {
    return segment == nullptr || segment->position.owner == rank_;
  };
  const Segments::Segment* first = nullptr;
  bool in_one = true;
  for (std::size_t i = 0; i < access.footprint.size() && in_one && !segments_.empty(); ++i) {
    const Segments::Segment* here = nullptr;
    in_one = segments_.lie_in_one(access.footprint.bounds(i), here);
    if (i == 0) first = here;
    in_one = in_one && (here == first || (is_own(here) && is_own(first)));
  }
  if (in_one) {
    if (!is_own(first)) {
      access.owner = first->position.owner;
      access.win = first->region;
      access.footprint.move_by(-first->begin());
    }
    accesses.push_back(std::move(access));
    return;
  }
  Split& split = splits_[access.site];
  if (split.whole == nullptr || split.whole != access.footprint.shared() ||
      split.shift != access.footprint.shift())
    split = split_by_owner(access.footprint);
  for (const Split::Part& part : split.parts) {
    Access& one = accesses.emplace_back(access);
    one.owner = part.owner;
    one.win = part.region;
    one.footprint = part.footprint;
  }
}

Timeline::Split Timeline::split_by_owner(const Footprint& footprint) const {
  std::vector<Segments::Piece> pieces;
  for (std::size_t i = 0; i < footprint.size(); ++i) segments_.split(footprint[i], pieces);
  std::map<std::pair<Uid, WorldRank>, std::vector<Strided>> elsewhere;
  std::vector<Strided> own;
  for (Segments::Piece& piece : pieces) {
    if (piece.segment == nullptr || piece.segment->position.owner == rank_) {
      own.push_back(std::move(piece.bytes));
      continue;
    }
    piece.bytes.offset -= piece.segment->begin();
    elsewhere[{piece.segment->region, piece.segment->position.owner}].push_back(
        std::move(piece.bytes));
  }
  Split split{footprint.shared(), footprint.shift(), {}};
  for (auto& [owner, strided] : elsewhere)
    split.parts.push_back({owner.first, owner.second, Footprint(std::move(strided))});
  if (!own.empty()) split.parts.push_back({Uid(0), rank_, Footprint(std::move(own))});
  return split;
}

void Timeline::close(Access& access, Timestamp timestamp, SyncPoint before, SiteId site) {
  access.end = timestamp;
  access.before = before;
  access.closed = site;
  if (access.kind == AccessKind::Store) last_write_ = start_;
  access.reachable = access.reachable || access.win != Uid(0) || exposed(access);
  if (access.locks != held_set_) access.locks = still_held(access.locks);
  if (access.footprint.empty()) return;
  if (tasks_ != nullptr) {
    const bool own = access.owner == rank_ && access.win == Uid(0);
    if (access.serial == 0) access.serial = ++serials_;
    if (access.owner != rank_ || access.reachable) {
      access.before = kNoSyncPoint;
      (timestamp == kNever ? settled_ : waiting_).push_back(access);
    }
    if (!own) return;
  }
  closed_.push_back(std::move(access));
  constexpr std::size_t kMost = 8192;  // more than usually wait to be taken
  if (closed_.size() < kMost) return;
  for (const Access& one : closed_) more_closed_.add(one);
  closed_.clear();
}

void Timeline::take_open(Open which, const std::function<void(const Access&)>& visit) {
  each_open([&](Access& access) {
    if (access.footprint.empty()) return;
    access.reachable = access.reachable || access.win != Uid(0) || exposed(access);
    const bool own = access.owner == rank_ && access.win == Uid(0);
    if (which == Open::Own ? !own : access.owner == rank_ && !access.reachable) return;
    if (access.serial == 0) access.serial = ++serials_;
    Access copy = access;
    copy.locks = still_held(access.locks);
    visit(copy);
    if (which == Open::Shared) access.plain_atomic = false;
  });
  // Complete, but no other rank can know it yet.
  if (which == Open::Shared)
    for (const Access& access : waiting_) visit(access);
}

bool Timeline::exposed(const Access& access) const {
  for (const Exposed& memory : exposed_)
    for (std::size_t i = 0; i < access.footprint.size(); ++i) {
      const ByteRange range = access.footprint.bounds(i);
      if (static_cast<std::uint64_t>(range.begin) < memory.end &&
          static_cast<std::uint64_t>(range.end) > memory.begin)
        return true;
    }
  return false;
}

// The common case: a buffer that an operation has read, and that was not written
// meanwhile.
bool Timeline::meets_nothing(const Access& access) const {
  return access.kind == AccessKind::Load && access.serial == 0 && !access.reachable &&
         last_write_ < access.begin && pending_writes_ == 0 && unfinished_.empty() &&
         segments_.empty() && !many_threads_ && tasks_ == nullptr &&
         (meaning_ == nullptr || meaning_->is_idle()) && !exposed(access);
}

// --- accesses that a front end stores

void Timeline::open_all(OpenAccesses& open, std::vector<Access> accesses) {
  open.clear();
  for (Access& access : accesses) open.add(opened(std::move(access)));
}

void Timeline::close_all(OpenAccesses& open, SiteId site) {
  open.each([&](const OpenAccess& one) {
    Access access = one.access();
    close_now(access, site);
  });
  open.clear();
}

// Open accesses of one site differ mainly in their address; the rest is shared.
OpenAccess Timeline::opened(Access access) {
  OpenAccess open{nullptr,
                  access.begin,
                  access.footprint.shift(),
                  access.footprint.length(),
                  std::exchange(access.serial, 0),
                  std::exchange(access.part, 0),
                  std::exchange(access.reachable, false)};
  if (access.footprint.empty()) return open;  // no access
  std::shared_ptr<const Access>& like = like_[access.site.value % like_.size()];
  const auto is_like = [&](const Access& other) {
    return other.kind == access.kind && other.owner == access.owner &&
           other.pending == access.pending && other.call == access.call &&
           other.site == access.site && other.site_key == access.site_key &&
           other.after == access.after && other.known == access.known &&
           other.locks == access.locks && other.win == access.win &&
           other.footprint.shared() == access.footprint.shared();
  };
  if (like == nullptr || !is_like(*like)) like = std::make_shared<const Access>(std::move(access));
  open.like = like;
  return open;
}

// --- regions

Region& Timeline::add_region(const RegionTraits& traits) {
  regions_.push_back(std::make_unique<Region>(traits));
  Region& region = *regions_.back();
  if (traits.uid != Uid(0)) region_by_uid_[traits.uid] = &region;
  return region;
}

void Timeline::expose(Uid region, std::uint64_t begin, std::uint64_t end) {
  exposed_.push_back({region, begin, end});
  mark_reachable();
}

void Timeline::unexpose(Uid region) {
  std::erase_if(exposed_, [&](const Exposed& memory) { return memory.win == region; });
  segments_.remove(region);
  splits_.clear();
}

void Timeline::unexpose(Uid region, std::uint64_t begin) {
  std::erase_if(exposed_, [&](const Exposed& memory) {
    return memory.win == region && memory.begin == begin;
  });
}

void Timeline::mark_reachable() {
  each_open([&](Access& access) { access.reachable = access.reachable || exposed(access); });
}

const RegionTraits* Timeline::region(Uid uid) const {
  const auto found = region_by_uid_.find(uid);
  return found != region_by_uid_.end() ? &found->second->traits() : nullptr;
}

std::optional<Exposure> Timeline::exposure_of(const Access& access) const {
  const auto found = region_by_uid_.find(access.win);
  if (found == region_by_uid_.end()) return std::nullopt;
  const Exposure* const exposure = found->second->exposure_of(access);
  return exposure != nullptr ? std::optional(*exposure) : std::nullopt;
}

bool Timeline::awaits_exposure(const Access& access) const {
  const auto found = region_by_uid_.find(access.win);
  return found != region_by_uid_.end() && found->second->awaits_exposure(access);
}

void Timeline::forget_exposures() {
  for (const auto& region : regions_) region->forget_exposures();
}

}  // namespace photofinish
