// The library's errors as those of faro._errors, with what they know as attributes.
#include <exception>
#include <utility>

#include "faro/layouts/placement.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

// Texts hold what files and others' words hold: bytes that are no UTF-8 do not hide the error.
nb::object words(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

template <class... Attributes>
void raise(const char* name, const char* message, Attributes... attributes) {
  nb::object type = nb::module_::import_("faro._errors").attr(name);
  nb::object error = type(words(message));
  (void)std::initializer_list<int>{
      (nb::setattr(error, attributes.first, nb::cast(attributes.second)), 0)...};
  PyErr_SetObject(type.ptr(), error.ptr());
}

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::refused:
      return "Refused";
    case ErrorCode::usage:
      return "UsageError";
    case ErrorCode::environment:
      return "EnvironmentFault";
    case ErrorCode::impossible:
    case ErrorCode::limit:
      return "Impossible";
    default:
      return "Error";
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  using std::make_pair;
  try {
    std::rethrow_exception(thrown);
  } catch (const NotationError& error) {
    raise("NotationError", error.what(), make_pair("column", error.at() + 1),
          make_pair("fault", std::string(name_of(error.fault()))),
          make_pair("reason", words(error.reason())));
  } catch (const NotAffine& error) {
    raise("NotAffine", error.what(), make_pair("index", error.index()),
          make_pair("got", error.got()), make_pair("expected", error.expected()));
  } catch (const NotExpressible& error) {
    raise("NotExpressible", error.what(), make_pair("system", error.system()),
          make_pair("reason", std::string(name_of(error.fault()))));
  } catch (const Stopped& stopped) {
    stopped.restore();
  } catch (const Error& error) {
    // A signal that stopped the work has its own exception already.
    if (error.code() == ErrorCode::cancelled && PyErr_Occurred() != nullptr) return;
    raise(class_of(error.code()), error.what());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace faro::python
