#include "detect/step_queue.h"

#include <cstring>

#include "base/check.h"
#include "trace/codec.h"

namespace photofinish {
namespace {

constexpr std::size_t kMaxQueued = 112;
constexpr std::uint64_t kHasComm = 1 << 12, kHasKey = 1 << 13, kHasFrom = 1 << 14,
                        kHasOthers = 1 << 15;

std::int64_t apart(std::uint64_t now, std::uint64_t before) {
  return static_cast<std::int64_t>(now - before);
}

}  // namespace

std::uint32_t StepTable::call_site(const MessageStep& step) {
  const CallSite call_site{step.site, step.site_key};
  if (last_call_site_ < call_sites_.size() && call_sites_[last_call_site_] == call_site)
    return last_call_site_;
  const auto [found, added] =
      call_site_index_.try_emplace(call_site, static_cast<std::uint32_t>(call_sites_.size()));
  if (added) call_sites_.push_back(call_site);
  return last_call_site_ = found->second;
}

std::uint32_t StepTable::comm(Uid comm) {
  const auto [found, added] =
      comm_index_.try_emplace(comm, static_cast<std::uint32_t>(comms_.size()));
  if (added) comms_.push_back(comm);
  return found->second;
}

void StepQueue::write(const MessageStep& step, StepTable& table) {
  std::uint8_t bytes[kMaxQueued];
  Encoder out(bytes);
  const bool has_comm = step.comm != Uid() || step.peer != WorldRank() || step.tag != kAnyTag;
  const auto bit = [](bool is, int at) { return static_cast<std::uint64_t>(is ? 1 : 0) << at; };
  out.number(static_cast<std::uint64_t>(step.kind) | static_cast<std::uint64_t>(step.mode) << 5 |
             bit(step.carries, 7) | bit(step.returned, 8) | bit(step.exclusive, 9) |
             bit(step.at_once, 10) | bit(step.asked, 11) | (has_comm ? kHasComm : 0) |
             (step.key != 0 ? kHasKey : 0) | (step.from != nullptr ? kHasFrom : 0) |
             (step.others != 0 ? kHasOthers : 0));
  out.number(table.call_site(step));
  out.signed_number(apart(step.timestamp, wrote_.timestamp));
  out.signed_number(apart(step.operation, wrote_.operation));
  if (has_comm) {
    out.number(table.comm(step.comm));
    out.signed_number(step.peer.value);
    out.signed_number(step.tag);
  }
  if (step.key != 0) out.bytes(&step.key, sizeof step.key);
  if (step.others != 0) out.number(step.others);
  if (step.from != nullptr) from_.push_back(step.from);
  wrote_ = {step.operation, step.timestamp};
  bytes_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(out.next() - bytes));
}

void StepQueue::read(const StepTable& table) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes_.data());
  Decoder in(begin + read_, begin + bytes_.size());
  const std::uint64_t head = in.number();
  MessageStep step;
  step.kind = static_cast<MessageStep::Kind>(head & 31);
  step.mode = static_cast<SendMode>(head >> 5 & 3);
  step.carries = (head >> 7 & 1) != 0;
  step.returned = (head >> 8 & 1) != 0;
  step.exclusive = (head >> 9 & 1) != 0;
  step.at_once = (head >> 10 & 1) != 0;
  step.asked = (head >> 11 & 1) != 0;
  const StepTable::CallSite& call_site = table.call_site(static_cast<std::uint32_t>(in.number()));
  step.site = call_site.site;
  step.site_key = call_site.key;
  step.timestamp = has_read_.timestamp + static_cast<std::uint64_t>(in.signed_number());
  step.operation = has_read_.operation + static_cast<std::uint64_t>(in.signed_number());
  if ((head & kHasComm) != 0) {
    step.comm = table.comm(static_cast<std::uint32_t>(in.number()));
    step.peer = WorldRank(static_cast<std::int32_t>(in.signed_number()));
    step.tag = in.signed_number();
  }
  if ((head & kHasKey) != 0)
    if (const std::uint8_t* const key = in.bytes(sizeof step.key))
      std::memcpy(&step.key, key, sizeof step.key);
  if ((head & kHasOthers) != 0) step.others = static_cast<std::uint32_t>(in.number());
  if ((head & kHasFrom) != 0) {
    step.from = std::move(from_.front());
    from_.pop_front();
  }
  CHECK(in.ok());
  has_read_ = {step.operation, step.timestamp};
  read_ += in.position();
  front_ = std::move(step);
  if (count_ == 1) {
    bytes_.clear();
    if (bytes_.capacity() > 4096) bytes_.shrink_to_fit();
    read_ = 0;
    wrote_ = has_read_ = {};
  } else if (read_ >= 4096 && 2 * read_ >= bytes_.size()) {
    bytes_.erase(0, read_);
    read_ = 0;
  }
}

}  // namespace photofinish
