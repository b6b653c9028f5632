#include "detect/thread_posts.h"

#include <algorithm>

#include "order/keys.h"

namespace photofinish {

void ThreadPosts::enter(const Event& event) {
  const bool ordered = event.fields.has(Field::order);
  if (ordered && !order_) order_.emplace(0);
  task_ = 0;
  if (order_)
    task_ = std::min(event.fields.has(Field::line)
                         ? static_cast<std::uint32_t>(event.fields[Field::line])
                         : event.task.value,
                     kMaxTasks - 1);
  start_ = timestamp_of(task_, 2 * events_++);
  if (!order_) return;
  const Action action = traits(event.call).action;
  order_->enter(task_, start_, action == Action::TaskAcquire);
  if (action == Action::TaskRelease)
    order_->release(task_, static_cast<std::uint64_t>(event.fields[Field::key]), start_, false);
  if (action == Action::TaskAcquire)
    order_->acquire(task_, static_cast<std::uint64_t>(event.fields[Field::key]));
  // Calls that hand a request to another task, and collectives, which the program serializes.
  const auto request_key = [](std::uint64_t id) { return edge_key(Channel::Request, id); };
  for (const Completion& completion : event.completions) {
    if (completion.index >= event.requests.size()) continue;
    const std::uint64_t key = request_key(event.requests[completion.index].value);
    order_->acquire(task_, key);
    order_->forget(key);
  }
  if (event.fields.has(Field::request))
    order_->release(task_, request_key(static_cast<std::uint64_t>(event.fields[Field::request])),
                    start_ + 1, false);
  if (is_collective(action) && event.fields.has(Field::comm)) {
    const std::uint64_t key =
        edge_key(Channel::Serial, static_cast<std::uint64_t>(event.fields[Field::comm]));
    order_->acquire(task_, key);
    order_->release(task_, key, start_ + 1, false);
  }
}

void ThreadPosts::acquired() {
  constexpr std::size_t kRecent = 4096;
  if (!order_) return;
  if (acquired_.empty() || acquired_.back() != start_ + 1) acquired_.push_back(start_ + 1);
  if (acquired_.size() <= kRecent) return;
  forgotten_half_ = half_of(acquired_.front());
  acquired_.pop_front();
}

bool ThreadPosts::share_messages(const Messages& a, const Messages& b) {
  return a.kind == b.kind && a.comm == b.comm &&
         (a.peer == b.peer || a.peer == kAnySource || b.peer == kAnySource) &&
         (a.tag == b.tag || a.tag == kAnyTag || b.tag == kAnyTag);
}

bool ThreadPosts::is_concurrent(const Post& earlier) const {
  if (task_of(earlier.begin) == task_ || order_->knows(task_, earlier.begin) ||
      half_of(earlier.begin) < forgotten_half_)
    return false;
  for (auto at = acquired_.rbegin();
       at != acquired_.rend() && half_of(*at) > half_of(earlier.begin); ++at)
    if (order_->knows(task_, *at) || task_of(*at) == task_) return false;
  return true;
}

void ThreadPosts::compare(std::vector<Post>& earlier, const MessageStep& post, bool& is_in_pair,
                          Actions& actions) {
  constexpr std::size_t kMost = 64;  // pairs of two call sites
  for (Post& one : earlier) {
    if (!is_concurrent(one)) continue;
    const auto [low, high] = std::minmax(one.site_key, post.site_key);
    std::size_t& pairs = pairs_[{post.kind, low, high}];
    if (pairs == kMost) continue;
    ++pairs;
    one.is_in_pair = is_in_pair = true;
    actions.concurrent.push_back(one.operation);
  }
}

ThreadPosts::Actions ThreadPosts::posted(const MessageStep& post) {
  constexpr std::size_t kMost = 1024;  // kinds of messages
  Actions actions;
  if (!order_) return actions;
  const Messages messages{post.kind, post.comm, post.peer, post.tag};
  any_wildcard_ |= post.peer == kAnySource || post.tag == kAnyTag;
  if (latest_.size() >= kMost && !latest_.contains(messages)) {
    for (const auto& [kind, posts] : latest_)
      for (const Post& one : posts)
        if (!one.is_in_pair) actions.unwatch.push_back(one.operation);
    latest_.clear();
  }
  actions.watch = post.operation;
  bool is_in_pair = false;
  if (any_wildcard_) {
    for (auto& [kind, posts] : latest_)
      if (share_messages(kind, messages)) compare(posts, post, is_in_pair, actions);
  } else if (const auto found = latest_.find(messages); found != latest_.end()) {
    compare(found->second, post, is_in_pair, actions);
  }
  std::vector<Post>& posts = latest_[messages];
  const auto same = std::find_if(posts.begin(), posts.end(), [&](const Post& one) {
    return task_of(one.begin) == task_ && one.site_key == post.site_key;
  });
  const Post latest{start_, post.site_key, post.operation, is_in_pair};
  if (same == posts.end()) {
    posts.push_back(latest);
  } else {
    if (!same->is_in_pair) actions.unwatch.push_back(same->operation);
    *same = latest;
  }
  return actions;
}

}  // namespace photofinish
