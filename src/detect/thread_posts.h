// Finds sends, or receives, that two tasks of one rank post for the same messages in no order:
// either may come first, so the messages may match in another way.
//
// Rule: two posts of different tasks are concurrent if the later one's task does not know the
// earlier one (order/task_order.h), and no other rank can have told it: since the earlier post,
// nothing that the task knows acquired anything from another rank. Sends concern the same messages
// if destination, communicator and tag are equal; receives if a message can fit both.
//
//   task 1:  a = Recv(from 0, tag 5)
//   task 2:  b = Recv(from 0, tag 5)      a and b are a pair: each may take the first message
//
// Invariant: `latest_` holds the latest post of each task, call site and kind of message. Only
// those, and the posts of reported pairs, are watched.
//
// Misses: pairs of sends with different tags to a receive with any tag; order through another rank
// is assumed where it is only possible.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/message.h"
#include "order/task_order.h"

namespace photofinish {

class ThreadPosts {
 public:
  // What the detector has to do, in this order.
  struct Actions {
    std::optional<std::uint64_t> watch;  // the posted operation
    std::vector<std::uint64_t> unwatch;
    std::vector<std::uint64_t> concurrent;  // earlier operations that are concurrent with it
  };

  // The rank's next event.
  void enter(const Event& event);
  // Message steps of that event.
  Actions posted(const MessageStep& post);
  void acquired();

 private:
  struct Messages {  // `peer` and `tag` may be wildcards for receives
    MessageStep::Kind kind{};
    Uid comm;
    WorldRank peer;
    std::int64_t tag = kAnyTag;
    auto operator<=>(const Messages&) const = default;
  };
  struct Post {
    Timestamp begin = 0;
    std::uint64_t site_key = 0;
    std::uint64_t operation = 0;
    bool is_in_pair = false;
  };
  static bool share_messages(const Messages& a, const Messages& b);
  bool is_concurrent(const Post& earlier) const;
  void compare(std::vector<Post>& earlier, const MessageStep& post, bool& is_in_pair,
               Actions& actions);

  std::optional<TaskOrder> order_;  // empty while the rank has one task
  std::uint64_t events_ = 0;
  std::uint32_t task_ = 0;
  Timestamp start_ = 0;
  std::deque<Timestamp> acquired_;  // latest acquires from other ranks
  Timestamp forgotten_half_ = 0;    // earlier ones were dropped
  std::map<Messages, std::vector<Post>> latest_;
  bool any_wildcard_ = false;
  // Number of pairs by kind and call sites.
  std::map<std::tuple<MessageStep::Kind, std::uint64_t, std::uint64_t>, std::size_t> pairs_;
};

}  // namespace photofinish
