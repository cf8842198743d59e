// Dual coordinate descent for the squared hinge and the hinge loss: one warp to a problem, over the rows that matter to
// it. REAL is float or double.

// A row as a lane holds it: its first two stored entries there, loaded before they are needed.
struct Held {
  long long begin, end;
  int column[2];
  REAL value[2];
};

struct Rows {
  const long long* ptr;
  const int* columns;
  const REAL* values;
  int n_features;
  const unsigned* context;

  // The value of a stored entry to the problem: labels that it does not see are 0.
  __device__ REAL value(long long at, int column) const {
    const int label = column - n_features;
    const bool seen = label < 0 || (context[label >> 5] >> (label & 31) & 1u);
    return seen ? values[at] : REAL(0);
  }

  __device__ Held hold(long long begin, long long end, int lane) const {
    Held held{begin, end, {0, 0}, {0, 0}};
    for (int part = 0; part < 2; ++part) {
      const long long at = begin + lane + 32 * part;
      if (at < end) {
        held.column[part] = columns[at];
        held.value[part] = value(at, held.column[part]);
      }
    }
    return held;
  }

  // The product of a row with weights, and its squared length, over the lanes of the warp.
  __device__ void measure(const Held& held, const REAL* weights, int lane, REAL& product, REAL& square) const {
    product = square = 0;
    for (int part = 0; part < 2; ++part) {
      product += held.value[part] * weights[held.column[part]];
      square += held.value[part] * held.value[part];
    }
    for (long long at = held.begin + lane + 64; at < held.end; at += 32) {
      const REAL stored = value(at, columns[at]);
      product += stored * weights[columns[at]];
      square += stored * stored;
    }
    for (int step = 16; step; step /= 2) {
      product += __shfl_xor_sync(0xffffffffu, product, step);
      square += __shfl_xor_sync(0xffffffffu, square, step);
    }
  }

  __device__ void add(const Held& held, REAL change, REAL* weights, int lane) const {
    for (int part = 0; part < 2; ++part) {
      if (held.value[part] != 0) weights[held.column[part]] += change * held.value[part];
    }
    for (long long at = held.begin + lane + 64; at < held.end; at += 32) {
      weights[columns[at]] += change * value(at, columns[at]);
    }
  }
};

extern "C" __global__ void descend(const long long* row_ptr, const int* columns, const REAL* values,
                                   const long long* entry_ptr, const int* entry_rows, const REAL* entry_costs,
                                   REAL* multipliers, long long n_problems, REAL* weights, long long n_columns,
                                   int n_features, const unsigned* contexts, int n_words, REAL bias, int hinge,
                                   int most_epochs, unsigned most_visits, unsigned seed, REAL precision, double* dual) {
  const long long problem = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y;
  if (problem >= n_problems) return;
  const int lane = threadIdx.x;
  const Rows rows{row_ptr, columns, values, n_features, contexts + problem * n_words};
  const long long first = entry_ptr[problem];
  const unsigned n = static_cast<unsigned>(entry_ptr[problem + 1] - first);
  REAL* w = weights + static_cast<size_t>(problem) * n_columns;
  REAL constant = w[n_columns - 1];
  const int epochs = n ? max(1, min(most_epochs, static_cast<int>(most_visits / n))) : 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    // A prime above the number of entries has no divisor in common with it: every entry is visited once.
    const unsigned primes[4] = {4294967291u, 4294967279u, 4294967231u, 4294967197u};
    const unsigned long long stride = primes[(seed + epoch) & 3] % n;
    unsigned at = (seed + epoch) * 2654435761u % n;
    int row = entry_rows[first + at];
    Held held = rows.hold(row_ptr[row], row_ptr[row + 1], lane);
    REAL worst = 0;
    for (unsigned visit = 0; visit < n; ++visit) {
      const long long entry = first + at;
      at = static_cast<unsigned>((at + stride) % n);
      row = entry_rows[first + at];
      const long long next_begin = row_ptr[row], next_end = row_ptr[row + 1];
      const REAL cost = entry_costs[entry], alpha = multipliers[entry];
      REAL product, square;
      rows.measure(held, w, lane, product, square);
      const Held following = rows.hold(next_begin, next_end, lane);
      const REAL sign = cost > 0 ? REAL(1) : REAL(-1), size = cost * sign;
      const REAL diagonal = hinge ? REAL(0) : REAL(0.5) / size;
      const REAL gradient = sign * (product + bias * constant) - 1 + alpha * diagonal;
      const REAL divisor = square + bias * bias + diagonal;
      REAL next = divisor > 0 ? alpha - gradient / divisor : size;
      next = next > 0 ? next : REAL(0);
      if (hinge && next > size) next = size;
      if (next != alpha) {
        const REAL change = (next - alpha) * sign;
        rows.add(held, change, w, lane);
        constant += change * bias;
        if (!lane) multipliers[entry] = next;
        const REAL away = gradient > 0 ? gradient : -gradient;
        worst = away > worst ? away : worst;
        __syncwarp();
      }
      held = following;
    }
    if (worst <= precision) break;
  }
  double total = 0;
  for (unsigned k = lane; k < n; k += 32) {
    const double alpha = multipliers[first + k], cost = entry_costs[first + k];
    total += alpha - (hinge ? 0.0 : alpha * alpha / (4 * (cost > 0 ? cost : -cost)));
  }
  for (int step = 16; step; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
  if (!lane) {
    w[n_columns - 1] = constant;
    dual[problem] = total;
  }
}
