#include "detect/analysis.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "detect/participant.h"
#include "trace/findings_file.h"
#include "trace/spill_file.h"

namespace photofinish {
namespace {

constexpr SyncPoint kMaxStride = 1 << 12;
// Number of accesses, or atomics, that are written and read at once. Small compared with the limit.
constexpr std::size_t kPiece = 1 << 14;
// Number of events between two checks of the memory limit.
constexpr std::size_t kCheck = 1 << 12;

// Splits the accesses and atomics of a batch into pieces that are encoded separately.
template <class Visit>
void each_piece(Batch batch, Visit visit) {
  if (batch.accesses.size() <= kPiece && batch.atomics.size() <= kPiece) {
    if (!batch.accesses.empty() || !batch.atomics.empty()) visit(std::move(batch));
    return;
  }
  AccessList::Reader accesses(batch.accesses);
  const Access* access = accesses.next();
  for (std::size_t atomics = 0; access != nullptr || atomics < batch.atomics.size();) {
    Batch piece;
    piece.clock = batch.clock;
    for (; access != nullptr && piece.accesses.size() < kPiece; access = accesses.next())
      piece.accesses.add(*access);
    for (; atomics < batch.atomics.size() && piece.atomics.size() < kPiece; ++atomics)
      piece.atomics.push_back(batch.atomics[atomics]);
    visit(std::move(piece));
  }
}

// The accesses and atomics for the ranks of this process: all in memory, or all in the file.
class Arrivals {
 public:
  Arrivals(SpillFile& file, std::int32_t first, std::size_t ranks, std::size_t memory)
      : file_(file), first_(first), memory_(memory), ranks_(ranks) {}

  bool in_file() const { return in_file_; }
  void add(WorldRank from, WorldRank to, Batch batch) {
    Rank& rank = at(to);
    if (in_file_) return put(from, rank, std::move(batch));
    batch.accesses.finish();
    bytes_ += memory_bytes(batch);
    rank.batches.emplace_back(from, std::move(batch));
    if (bytes_ > memory_) move_to_file();
  }
  // The same, for an encoded batch.
  void add(TransportMessage message) {
    if (!in_file_) {
      Batch batch;
      if (decode(message.bytes, batch)) add(message.from, message.to, std::move(batch));
      return;
    }
    put(message.from, at(message.to), message.bytes);
  }
  void move_to_file() {
    if (std::exchange(in_file_, true)) return;
    for (Rank& rank : ranks_)
      for (auto& [from, batch] : std::exchange(rank.batches, {})) put(from, rank, std::move(batch));
  }

  // Visits the batches by sender, the rank itself last; those of one sender in the order in which
  // they were sent. This order decides if several orders of atomics are possible.
  void each(WorldRank to, const Owner::Hand& hand) {
    Rank& rank = at(to);
    const auto by_sender = [to](const auto& a, const auto& b) {
      return std::pair(a.first == to, a.first) < std::pair(b.first == to, b.first);
    };
    std::stable_sort(rank.batches.begin(), rank.batches.end(), by_sender);
    for (const auto& [from, batch] : rank.batches) hand(batch);
    std::stable_sort(rank.extents.begin(), rank.extents.end(), by_sender);
    for (const auto& [from, extent] : rank.extents) {
      const auto bytes = file_.read(extent);
      Batch batch;
      if (!bytes)
        note(bytes.error());
      else if (!decode(*bytes, batch))
        note({"what was kept in a file came back damaged"});
      else
        hand(batch);
    }
  }
  void forget(WorldRank to) { at(to) = {}; }
  void clear() {
    for (Rank& rank : ranks_) rank = {};
    bytes_ = 0;
    in_file_ = false;
  }
  const std::optional<Error>& trouble() const { return trouble_; }
  void note(const Error& error) {
    if (!trouble_) trouble_ = error;
  }

 private:
  struct Rank {
    std::vector<std::pair<WorldRank, Batch>> batches;
    std::vector<std::pair<WorldRank, SpillFile::Extent>> extents;
  };
  Rank& at(WorldRank rank) { return ranks_.at(static_cast<std::size_t>(rank.value - first_)); }
  void put(WorldRank from, Rank& rank, Batch batch) {
    each_piece(std::move(batch), [&](const Batch& piece) { put(from, rank, encode(piece)); });
  }
  void put(WorldRank from, Rank& rank, const std::vector<std::uint8_t>& bytes) {
    if (trouble_) return;
    const auto extent = file_.add(bytes);
    if (extent)
      rank.extents.emplace_back(from, *extent);
    else
      note(extent.error());
  }

  SpillFile& file_;
  const std::int32_t first_;
  const std::size_t memory_;
  std::vector<Rank> ranks_;
  std::size_t bytes_ = 0;
  bool in_file_ = false;
  std::optional<Error> trouble_;
};

class Run {
 public:
  Run(std::vector<RankInput> share, std::int32_t world_size, Transport& transport,
      const AnalysisOptions& options)
      : inputs_(std::move(share)),
        world_size_(world_size),
        transport_(transport),
        memory_(options.memory / 2),
        period_(options.period),
        check_(std::clamp<std::size_t>(options.memory >> 10, 1, kCheck)),
        first_(share_of(transport.process(), transport.processes(), world_size).first),
        file_(options.directory, transport.process()),
        arrivals_(file_, first_, inputs_.size(), memory_) {
    for (const RankInput& input : inputs_)
      participants_.push_back(std::make_unique<Participant>(
          input.rank, world_size, *input.definitions, input.meaning, options.rules));
    ended_.assign(inputs_.size(), false);
    // Order between ranks matters to those who reach others' memory, and to tasks of one rank.
    std::uint64_t users[] = {0};
    for (const RankInput& input : inputs_)
      users[0] += input.definitions->wins.size() + (input.definitions->tasks.size() > 1 ? 1 : 0);
    transport.sum(users);
    if (users[0] == 0)
      for (const auto& participant : participants_) participant->report_no_edges();
    for (int process = 0; process < transport.processes(); ++process) {
      const auto [first, last] = share_of(process, transport.processes(), world_size);
      process_of_.insert(process_of_.end(), static_cast<std::size_t>(last - first), process);
    }
  }

  Result<std::vector<Finding>> run() {
    bool running = true;
    for (std::uint64_t period = 1; running; ++period) {
      running = advance_all();
      if (const auto done = analyze_period(period, running ? until_ : kNoSyncPoint); !done)
        return done.error();
    }
    return gather_findings();
  }

 private:
  bool is_here(WorldRank rank) const {
    return rank.value >= first_ && rank.value < first_ + static_cast<std::int32_t>(inputs_.size());
  }

  // Advances all ranks to a sync point at which enough accesses have accumulated. False: all ranks
  // have ended.
  bool advance_all() {
    std::uint64_t before = 0;
    while (true) {
      until_ += stride_;
      for (std::size_t i = 0; i < participants_.size(); ++i) advance(i, until_);
      enum { Running, Accesses, kAll };
      std::uint64_t all[kAll] = {
          static_cast<std::uint64_t>(std::count(ended_.begin(), ended_.end(), false)), 0};
      for (const auto& participant : participants_) all[Accesses] += participant->produced();
      transport_.sum(all);
      if (all[Running] == 0) return false;
      const std::uint64_t gained = all[Accesses] - before;
      before = all[Accesses];
      if (gained < period_ / 4)
        stride_ = std::min(2 * stride_, kMaxStride);
      else if (gained > period_ / 2)
        stride_ = std::max<SyncPoint>(stride_ / 2, 1);
      if (all[Accesses] >= period_) return true;
    }
  }

  void advance(std::size_t i, SyncPoint until) {
    while (!ended_[i] && participants_[i]->timeline().sync_points_done() < until) {
      const Event* event = inputs_[i].next();
      if (event == nullptr)
        ended_[i] = true;
      else
        add(i, *event);
      if (++events_ % check_ == 0 && waiting_bytes() > memory_) unload();
    }
  }

  void add(std::size_t i, const Event& event) {
    // Recorded times are rounded down to units.
    const RankDefinition& rank = inputs_[i].definitions->rank;
    const auto ticks = [&](std::uint64_t ns) {
      return rank.clock.tick + static_cast<std::uint64_t>(
                                   std::llround(static_cast<double>(ns) / rank.clock.ns_per_tick));
    };
    participants_[i]->add(
        event, {ticks(event.start), ticks(event.start + event.duration) + 2 * rank.ticks_per_unit});
  }

  std::size_t waiting_bytes() const {
    std::size_t bytes = 0;
    for (const auto& participant : participants_) bytes += participant->waiting_bytes();
    return bytes;
  }

  // Moves everything that waits for the end of the period to the file.
  void unload() {
    arrivals_.move_to_file();
    for (std::size_t i = 0; i < participants_.size(); ++i)
      for (auto& [to, batch] : participants_[i]->unload()) {
        if (is_here(to))
          arrivals_.add(inputs_[i].rank, to, std::move(batch));
        else if (is_rank(to))
          keep_for_others(inputs_[i].rank, to, std::move(batch));
      }
    malloc_trim(0);
  }
  bool is_rank(WorldRank rank) const { return rank.value >= 0 && rank.value < world_size_; }

  void keep_for_others(WorldRank from, WorldRank to, Batch batch) {
    each_piece(std::move(batch), [&](const Batch& piece) {
      if (arrivals_.trouble()) return;
      const auto extent = file_.add(encode(piece));
      if (extent)
        outbox_.push_back({from, to, *extent});
      else
        arrivals_.note(extent.error());
    });
  }

  Result<bool> analyze_period(std::uint64_t period, SyncPoint until) {
    if (arrivals_.in_file() || !outbox_.empty()) unload();
    send_accesses(period, until);
    enum { Undecided, kAll };
    std::uint64_t all[kAll] = {0};
    for (const auto& participant : participants_)
      if (!arrivals_.trouble()) all[Undecided] += check(*participant, period, until) ? 1 : 0;
    arrivals_.clear();
    file_.clear();
    if (const auto fine =
            agree(transport_, arrivals_.trouble() ? Result<bool>(*arrivals_.trouble()) : true);
        !fine)
      return fine;
    transport_.sum(all);
    if (all[Undecided] == 0) {
      for (const auto& participant : participants_) participant->forget(period);
      return true;
    }
    auto received = deliver([&](std::size_t i) { return participants_[i]->ask(period); });
    received =
        deliver([&](std::size_t i) { return Participant::resolve_for(std::move(received[i])); });
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      std::vector<Batch> answers;
      for (auto& [from, batch] : received[i]) answers.push_back(std::move(batch));
      participants_[i]->conclude(period, std::move(answers));
    }
    return true;
  }

  void send_accesses(std::uint64_t period, SyncPoint until) {
    struct Parting {
      WorldRank from, to;
      Batch batch;
    };
    std::vector<Parting> parting;
    for (std::size_t i = 0; i < participants_.size(); ++i)
      for (auto& [to, batch] : participants_[i]->send(period, until)) {
        const WorldRank from = inputs_[i].rank;
        if (is_here(to))
          arrivals_.add(from, to, std::move(batch));
        else if (is_rank(to))
          each_piece(std::move(batch),
                     [&](Batch piece) { parting.push_back({from, to, std::move(piece)}); });
      }
    std::size_t kept = 0, sent = 0;
    const auto next = [&](int& process, TransportMessage& message) {
      if (kept < outbox_.size() && !arrivals_.trouble()) {
        const Kept& it = outbox_[kept++];
        auto bytes = file_.read(it.extent);
        if (!bytes) return arrivals_.note(bytes.error()), false;
        message = {it.from, it.to, std::move(*bytes)};
      } else if (sent < parting.size() && !arrivals_.trouble()) {
        Parting& it = parting[sent++];
        message = {it.from, it.to, encode(it.batch)};
        it.batch = {};
      } else {
        return false;
      }
      process = process_of_[static_cast<std::size_t>(message.to.value)];
      return true;
    };
    transport_.exchange(next, [&](TransportMessage message) { arrivals_.add(std::move(message)); });
    outbox_.clear();
  }

  bool check(Participant& participant, std::uint64_t period, SyncPoint until) {
    const bool in_file = arrivals_.in_file();
    const auto each = [&](const Owner::Hand& hand) { arrivals_.each(participant.rank(), hand); };
    const bool undecided = participant.check(period, until, each, memory_);
    arrivals_.forget(participant.rank());
    if (in_file) malloc_trim(0);  // the next rank's accesses have other sizes
    return undecided;
  }

  // Turns batches by sender into batches by receiver, for the ranks of this process.
  using Received = std::vector<std::map<WorldRank, Batch>>;
  Received deliver(const std::function<Batches(std::size_t)>& batches_of) {
    Received received(participants_.size());
    std::vector<std::pair<WorldRank, Batches>> others;
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      Batches away;
      for (auto& [to, batch] : batches_of(i)) {
        if (is_here(to))
          received[static_cast<std::size_t>(to.value - first_)].emplace(inputs_[i].rank,
                                                                        std::move(batch));
        else if (is_rank(to))
          away.emplace(to, std::move(batch));
      }
      if (!away.empty()) others.emplace_back(inputs_[i].rank, std::move(away));
    }
    const auto next = [&](int& process, TransportMessage& message) {
      while (!others.empty() && others.back().second.empty()) others.pop_back();
      if (others.empty()) return false;
      auto& [from, batches] = others.back();
      const auto first = batches.begin();
      message = {from, first->first, encode(first->second)};
      process = process_of_[static_cast<std::size_t>(message.to.value)];
      batches.erase(first);
      return true;
    };
    transport_.exchange(next, [&](const TransportMessage& message) {
      if (is_here(message.to))
        decode(message.bytes,
               received[static_cast<std::size_t>(message.to.value - first_)][message.from]);
    });
    return received;
  }

  std::vector<Finding> gather_findings() {
    std::vector<Finding> findings;
    for (const auto& participant : participants_)
      for (Finding& finding : participant->take_findings()) findings.push_back(std::move(finding));
    findings = merge_findings(std::move(findings));
    bool sent = transport_.process() == 0;
    transport_.exchange(
        [&](int& process, TransportMessage& message) {
          if (std::exchange(sent, true)) return false;
          process = 0;
          message = {WorldRank(first_), WorldRank(0), encode_findings(findings)};
          return true;
        },
        [&](const TransportMessage& message) {
          auto more = decode_findings(message.bytes);
          CHECK(more);
          findings.insert(findings.end(), std::make_move_iterator(more->begin()),
                          std::make_move_iterator(more->end()));
        });
    if (transport_.process() != 0) return {};
    return merge_findings(std::move(findings));
  }

  std::vector<RankInput> inputs_;
  const std::int32_t world_size_;
  Transport& transport_;
  const std::size_t memory_;  // for waiting accesses; checking may use as much again
  const std::size_t period_, check_;
  const std::int32_t first_;  // first rank of this process
  std::vector<int> process_of_;
  std::vector<std::unique_ptr<Participant>> participants_;
  std::vector<bool> ended_;
  SyncPoint until_ = 0, stride_ = 1;
  std::uint64_t events_ = 0;

  SpillFile file_;
  Arrivals arrivals_;
  struct Kept {
    WorldRank from, to;
    SpillFile::Extent extent;
  };
  std::vector<Kept> outbox_;  // in the file, for ranks of other processes
};

}  // namespace

std::pair<std::int32_t, std::int32_t> share_of(int process, int processes,
                                               std::int32_t world_size) {
  const auto border = [&](int at) {
    return static_cast<std::int32_t>(std::int64_t{world_size} * at / processes);
  };
  return {border(process), border(process + 1)};
}

Result<std::vector<Finding>> analyze(std::vector<RankInput> share, std::int32_t world_size,
                                     Transport& transport, const AnalysisOptions& options) {
  return Run(std::move(share), world_size, transport, options).run();
}

std::vector<Finding> analyze(std::vector<RankInput> ranks, const RuleOptions& rules,
                             std::size_t period) {
  Alone alone;
  const auto world_size = static_cast<std::int32_t>(ranks.size());
  auto findings = analyze(std::move(ranks), world_size, alone,
                          {.rules = rules, .memory = Owner::kNoLimit, .period = period});
  CHECK(findings);
  return std::move(*findings);
}

Result<bool> agree(Transport& transport, const Result<bool>& mine) {
  // The lowest process that has a message.
  const auto speaker = static_cast<std::uint64_t>(transport.processes() - transport.process());
  std::uint64_t first[] = {mine ? 0 : speaker};
  transport.max(first);
  if (first[0] == 0) return true;
  return first[0] == speaker ? mine.error() : Error{};
}

}  // namespace photofinish
