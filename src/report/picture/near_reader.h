// Reads one rank's events in order, and adds those near a finding to its lane.
//
// Invariant: lanes are indexed by what they wait for: the next anchor, the end of an epoch, the
// completion of a receive. No event iterates over all lanes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "effects/meaning.h"
#include "report/picture/neighborhood.h"

namespace photofinish {

class NearReader final : public MessageSink {
 public:
  NearReader(WorldRank rank, int world_size, const Definitions& definitions,
             const std::vector<NearLane*>& lanes);

  void add(const Event& event);
  void finish();  // adds what is known only at the end: the match of each receive

  void step(MessageStep step) override;
  void took(std::uint64_t operation, MessageKey key) override { taken_[operation] = key; }

 private:
  enum class EpochKind { Fence, Lock, LockAll, Access, Exposure };
  using EpochKey = std::tuple<WinId, EpochKind, WorldRank>;
  struct OpenEpoch {
    NearStep opening;
    std::string label;
    std::vector<NearLane*> waiting;
  };
  void keep(NearLane& lane, const NearStep& step) { lane.steps.emplace(step.index, step); }
  void anchor(NearLane& lane);
  void follow_epochs(const Event& event);
  void open(const EpochKey& key, std::string label);
  void close(const EpochKey& key);
  Uid uid_of(WinId win) const;

  const Definitions& definitions_;
  std::vector<NearLane*> lanes_;
  Timeline timeline_;
  const std::unique_ptr<Meaning> meaning_;
  NearStep current_;
  std::vector<std::uint64_t> posted_;  // receives that the current event posted
  std::vector<std::pair<std::uint64_t, NearLane*>> anchors_;
  std::size_t next_anchor_ = 0;
  std::multimap<SyncPoint, NearLane*> phases_;
  std::vector<std::pair<NearLane*, std::uint64_t>> active_;  // with the last event
  std::deque<NearStep> last_;
  std::map<EpochKey, OpenEpoch> open_;
  std::unordered_map<std::uint64_t, std::vector<NearLane*>>
      awaited_;  // lanes that wait for the completion of this receive
  std::unordered_map<std::uint64_t, MessageKey> taken_;
  std::uint64_t events_ = 0;
};

}  // namespace photofinish
