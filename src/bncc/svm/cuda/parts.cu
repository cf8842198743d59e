// Problems with more rows than registers hold: improve a part of them at a time, then bring f of all up to date.

// Keys of a problem's rows that may go up (sign 1: large f first) or down (sign -1: small f first); 0 for the others
// and for those already chosen.
static __device__ __forceinline__ unsigned side_key(const Problem& problem, int t, int sign) {
  return !problem.chosen[t] && can_rise(problem, t, sign) ? key_of(sign * problem.f[t]) : 0u;
}

static __device__ int count_from(Shared& shared, const Problem& problem, int sign, unsigned least) {
  int count = 0;
  for (int t = threadIdx.x; t < problem.n; t += THREADS) count += side_key(problem, t, sign) >= least;
  return count_over(shared, count);
}

// Mark the half that violates most on one side; of rows with equal f, those that a stride through the rows meets first.
static __device__ __noinline__ void mark_side(Shared& shared, const Problem& problem, int sign, int half) {
  unsigned above = 0xffffffffu, below = 0u;  // above: at most `half` rows lie there; below: more, or it is 0
  while (above - below > 1u) {
    const unsigned middle = below + (above - below) / 2u;
    if (count_from(shared, problem, sign, middle) <= half)
      above = middle;
    else
      below = middle;
  }
  int left = half;
  for (int base = 0; base < problem.n; base += THREADS) {
    const int t = base + threadIdx.x;
    const bool taken = t < problem.n && side_key(problem, t, sign) >= above;
    if (taken) problem.chosen[t] = 1;
    left -= taken;
  }
  left = half - count_over(shared, half - left);
  if (!below || !left) return;
  const long long stride = problem.n % STRIDE ? STRIDE : 1;
  compact(
      shared, problem.n,
      [&](int place) { return side_key(problem, static_cast<int>(place * stride % problem.n), sign) == below; },
      [&](int place, int position) {
        if (position < left) problem.chosen[place * stride % problem.n] = 1;
      });
}

// The rows that the next part improves, listed in `chosen` itself, which is only read at or after what is written: all
// that may still take part in a violating pair, if registers hold them (`whole`); else those that are free, unless they
// alone would fill it, and those that violate most.
static __device__ __noinline__ int choose_part(Shared& shared, const Problem& problem, const State& state,
                                               bool& whole) {
  int free = 0, active = 0;
  for (int t = threadIdx.x; t < problem.n; t += THREADS) {
    const bool up = can_rise(problem, t, 1), down = can_rise(problem, t, -1);
    const float f = problem.f[t];
    problem.chosen[t] = up && down ? 2 : (up && f >= state.gmin) || (down && f <= state.gmax);
    free += problem.chosen[t] == 2;
    active += problem.chosen[t] != 0;
  }
  free = count_over(shared, free);
  whole = count_over(shared, active) <= CAPACITY;
  if (!whole) {
    const int least = free <= CAPACITY / 4 * 3 ? 2 : 3;
    if (least > 2) free = 0;
    for (int t = threadIdx.x; t < problem.n; t += THREADS) problem.chosen[t] = problem.chosen[t] >= least;
    sync();
    mark_side(shared, problem, 1, (CAPACITY - free) / 2);
    mark_side(shared, problem, -1, (CAPACITY - free) / 2);
  }
  sync();
  return compact(
      shared, problem.n, [&](int t) { return problem.chosen[t] != 0; },
      [&](int t, int position) { problem.chosen[position] = t; });
}

static __device__ __noinline__ void find_gap(Shared& shared, const Problem& problem, State& state) {
  Slot mine = {0u, 0xffffffffu, 0, 0, 0.0f, 0.0f};
  for (int t = threadIdx.x; t < problem.n; t += THREADS) {
    const unsigned key = key_of(problem.f[t]);
    if (can_rise(problem, t, 1) && key > mine.key) mine.key = key;
    if (can_rise(problem, t, -1) && key < mine.low) mine.low = key;
  }
  sync();
  const Slot both = choose(shared, 0, mine);
  sync();
  state.gmax = both.key ? value_of(both.key) : -3e38f;
  state.gmin = both.low != 0xffffffffu ? value_of(both.low) : 3e38f;
}

// Improve the rows that violate most, then bring f of all rows up to date with what changed.
static __device__ __noinline__ End improve_part(const Task& task, const Problem& problem, Shared& shared,
                                                long long limit, State& state) {
  bool whole;
  const int count = choose_part(shared, problem, state, whole);
  for (int place = threadIdx.x; place < count; place += THREADS)
    problem.before[place] = problem.alpha[problem.chosen[place]];
  const float drift = state.drift;
  // A part of the violating rows is not worth solving well: the others undo much of it.
  const double tol = fmax(task.tol, (whole ? 0.02 : 0.5) * (static_cast<double>(state.gmax) - state.gmin));
  const End end = improve(task, problem, shared, problem.chosen, count, tol, limit, state);
  const auto change = [&](int place) {
    const int t = problem.chosen[place];
    return (problem.alpha[t] - problem.before[place]) * problem.target[problem.rows[t]];
  };
  double error = 0.0;
  const int changed = compact(
      shared, count, [&](int place) { return change(place) != 0.0; },
      [&](int place, int position) {
        problem.support[position] = problem.chosen[place];
        problem.coef[position] = change(place);
        error += problem.coef[position] * problem.coef[position];
      });
  state.drift = drift + static_cast<float>(ROUNDING * ROUNDING * sum_over(shared, error));
  return spread(task, problem, shared, changed, false, 0.0) ? end : End::stopped;
}

static __device__ End improve_all(const Task& task, const Problem& problem, Shared& shared, long long limit,
                                  State& state) {
  if (problem.n <= CAPACITY) return improve(task, problem, shared, nullptr, problem.n, task.tol, limit, state);
  for (;;) {
    find_gap(shared, problem, state);
    if (state.gmax - state.gmin < static_cast<float>(task.tol)) return End::reached;
    if (state.iterations >= limit) return End::paused;
    if (asked_to_stop(task, shared)) return End::stopped;
    if (improve_part(task, problem, shared, limit, state) == End::stopped) return End::stopped;
  }
}
