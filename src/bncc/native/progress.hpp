// Progress and Ctrl-C while compiled code works. Only bindings include this.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>

namespace bncc {

// Tells `progress` (or nobody, for None) how much is done; false where that raises, or Ctrl-C was pressed. Takes the
// interpreter lock, which the engines have given up.
inline std::function<bool(int64_t)> make_poll(nanobind::handle progress) {
  return [progress](int64_t done) {
    nanobind::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress.is_none()) return true;
    PyObject* result = PyObject_CallFunction(progress.ptr(), "L", static_cast<long long>(done));
    Py_XDECREF(result);
    return result != nullptr;
  };
}

}  // namespace bncc
