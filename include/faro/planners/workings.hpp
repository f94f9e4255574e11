// What a planner finds while it says what a request costs, kept until it builds.
//
//   request.workings->kept<Packets>("pops-fewest-slots", [&] { return search(request); })
//
// searches the first time and gives back what it found afterwards. A plan is the same with and
// without: what is kept depends on the request alone. One thread; dies with the request.
#pragma once

#include <any>
#include <map>
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

 private:
  std::map<std::string, std::any> kept_;
};

}  // namespace faro
