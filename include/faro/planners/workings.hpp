// What a planner finds while it says what a request costs, kept until it builds.
//
//   found_once(request.workings, "pops-fewest-slots", [&] { return search(request); })
//
// searches the first time and gives back what it found afterwards, shared. A plan is the same with
// and without: what is kept depends on the request alone. One thread; dies with the request.
#pragma once

#include <any>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace faro {

class Workings {
 public:
  template <class T, class Make>
  const T& kept(const std::string& name, Make make) {
    std::any& place = kept_[name];
    if (!place.has_value()) place = make();
    return std::any_cast<const T&>(place);
  }
  std::size_t size() const { return kept_.size(); }

 private:
  std::map<std::string, std::any> kept_;
};

// What `make` finds: once where there are workings, anew where there are none.
template <class Make>
auto found_once(const std::shared_ptr<Workings>& workings, const std::string& name, Make make) {
  using Found = std::shared_ptr<const decltype(make())>;
  const auto find = [&make]() -> Found { return std::make_shared<const decltype(make())>(make()); };
  return workings ? workings->kept<Found>(name, find) : find();
}

}  // namespace faro
