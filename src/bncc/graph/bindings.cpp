// Python bindings of the cycle breaking; arrays are held against each other here (native/checks.hpp).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "cycles.hpp"
#include "native/checks.hpp"

namespace nb = nanobind;

namespace {

using namespace bncc::checks;

void keep_acyclic(In<int32_t> edges, Out<uint8_t> kept, int64_t n_nodes) {
  constexpr size_t poll_every = 4096;
  require(n_nodes >= 0 && n_nodes < INT32_MAX, "n_nodes", "must lie within 31 bits");
  require(edges.ndim() == 2 && edges.shape(1) == 2, "edges", "must be pairs of a parent and a child");
  check_indices(edges, 0, n_nodes, "edges");
  check_shape(kept, {length_of(edges, 0)}, "kept");
  check_apart("kept", kept, edges);
  const int32_t* edge = edges.data();
  uint8_t* flags = kept.data();
  const size_t n_edges = edges.shape(0);
  nb::gil_scoped_release release;
  bncc::AcyclicGraph graph(static_cast<size_t>(n_nodes));
  for (size_t i = 0; i < n_edges; ++i) {
    flags[i] = graph.insert(static_cast<bncc::Node>(edge[2 * i]), static_cast<bncc::Node>(edge[2 * i + 1]));
    if (i % poll_every == poll_every - 1) {
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }
}

}  // namespace

NB_MODULE(_cycles, m) {
  m.doc() = "Compiled core of break_cycles.";
  m.def("keep_acyclic", &keep_acyclic, nb::arg("edges").noconvert(), nb::arg("kept").noconvert(), nb::arg("n_nodes"));
}
