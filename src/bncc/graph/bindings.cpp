// Python bindings of the cycle breaking. All checks of values are made in Python (cycles.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "cycles.hpp"

namespace nb = nanobind;

namespace {

using Edges = nb::ndarray<const int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void keep_acyclic(Edges edges, Flags kept, size_t n_nodes) {
  constexpr size_t poll_every = 4096;
  const int32_t* edge = edges.data();
  uint8_t* flags = kept.data();
  const size_t n_edges = edges.shape(0);
  nb::gil_scoped_release release;
  bncc::AcyclicGraph graph(n_nodes);
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
  m.def("keep_acyclic", &keep_acyclic);
}
