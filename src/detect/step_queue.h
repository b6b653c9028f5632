// The waiting steps of one rank, in program order, in few bytes each.
//
// The first step is stored as is; the others as differences from the previous one. Call sites and
// communicators are indices into a table that all queues share.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/message.h"

namespace photofinish {

// Call sites and communicators of steps, each stored once.
class StepTable {
 public:
  struct CallSite {
    SiteId site;
    std::uint64_t key = 0;
    auto operator<=>(const CallSite&) const = default;
  };
  std::uint32_t call_site(const MessageStep& step);
  const CallSite& call_site(std::uint32_t index) const { return call_sites_[index]; }
  std::uint32_t comm(Uid comm);
  Uid comm(std::uint32_t index) const { return comms_[index]; }

 private:
  std::vector<CallSite> call_sites_;
  std::map<CallSite, std::uint32_t> call_site_index_;
  std::uint32_t last_call_site_ = 0;
  std::vector<Uid> comms_;
  std::map<Uid, std::uint32_t> comm_index_;
};

class StepQueue {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  MessageStep& front() { return front_; }
  const MessageStep& front() const { return front_; }
  void push_back(MessageStep step, StepTable& table) {
    if (count_++ == 0)
      front_ = std::move(step);
    else
      write(step, table);
  }
  void pop_front(const StepTable& table) {
    if (--count_ != 0) read(table);
  }
  std::size_t bytes() const { return bytes_.capacity() + from_.size() * sizeof(from_.front()); }

 private:
  void write(const MessageStep& step, StepTable& table);
  void read(const StepTable& table);

  std::size_t count_ = 0;
  MessageStep front_;
  std::string bytes_;  // encoded steps after the first, from `read_` on
  std::size_t read_ = 0;
  std::deque<std::shared_ptr<const std::vector<WorldRank>>> from_;  // of steps that have one
  // Values of the last step written, and read.
  struct Last {
    std::uint64_t operation = 0;
    Timestamp timestamp = 0;
  };
  Last wrote_, has_read_;
};

}  // namespace photofinish
