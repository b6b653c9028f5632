// Pending messages, matched as MPI does. Copyable, to try out steps.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "execution.h"

namespace photofinish::testing {

class Mailbox {
 public:
  struct Message {
    Ref send;
    int comm = 0, from = 0, to = 0;
    std::int64_t tag = 0;
    std::optional<Ref> taken_by;  // a receive, or a matched probe for a later one
    bool received = false;        // by a receive that has started
  };
  struct Posted {
    Ref receive;
    std::size_t order = 0;  // distinguishes requests of one MPI_Startall
    int comm = 0, rank = 0, from = 0;
    std::int64_t tag = 0;
    std::optional<std::size_t> message;
  };

  std::size_t send(Ref send, int comm, int to, std::int64_t tag, bool arrives) {
    messages.push_back({send, comm, send.rank, to, tag, {}, false});
    on_their_way_[{comm, send.rank, to}].push_back(messages.size() - 1);
    if (arrives) deliver_all(comm, send.rank, to);
    return messages.size() - 1;
  }

  std::size_t post(Ref receive, int comm, int from, std::int64_t tag) {
    posted.push_back({receive, posted.size(), comm, receive.rank, from, tag, {}});
    if (const auto waiting = find_waiting(comm, receive.rank, from, tag))
      take(posted.size() - 1, *waiting);
    return posted.size() - 1;
  }

  // The first message that has arrived, is not taken, and matches.
  std::optional<std::size_t> find_waiting(int comm, int rank, int from, std::int64_t tag) const {
    for (const std::size_t index : arrived_)
      if (!messages[index].taken_by && messages[index].comm == comm && messages[index].to == rank &&
          accepts(from, tag, messages[index]))
        return index;
    return {};
  }

  void deliver_all(int comm, int from, int to) {
    while (deliver(comm, from, to)) {
    }
  }

  bool deliver(int comm, int from, int to) {
    auto& queue = on_their_way_[{comm, from, to}];
    if (queue.empty()) return false;
    const std::size_t index = queue.front();
    queue.pop_front();
    for (std::size_t i = 0; i < posted.size(); ++i) {
      const Posted& one = posted[i];
      if (one.message || one.comm != comm || one.rank != to ||
          !accepts(one.from, one.tag, messages[index]))
        continue;
      take(i, index);
      return true;
    }
    arrived_.push_back(index);
    return true;
  }

  // Lets messages for a rank arrive until `done`, beginning with those of rank `first`.
  template <class Done>
  bool deliver_until(int comm, int rank, int ranks, int first, Done done) {
    for (int i = 0; i < ranks; ++i)
      while (!done())
        if (!deliver(comm, (first + i) % ranks, rank)) break;
    return done();
  }

  void take(std::size_t post, std::size_t message) {
    posted[post].message = message;
    messages[message].taken_by = posted[post].receive;
    messages[message].received = true;
  }
  void take(std::size_t message, Ref probe) { messages[message].taken_by = probe; }

  std::vector<Message> messages;
  std::vector<Posted> posted;

 private:
  static bool accepts(int from, std::int64_t tag, const Message& message) {
    return (from == kAnySource.value || from == message.from) &&
           (tag == kAnyTag || tag == message.tag);
  }

  std::map<std::tuple<int, int, int>, std::deque<std::size_t>> on_their_way_;
  std::vector<std::size_t> arrived_;
};

}  // namespace photofinish::testing
