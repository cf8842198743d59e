// The entry: one group of threads solves one problem and writes what it found.

static __device__ Problem view(const Task& task, int p) {
  const int set = task.row_set[p];
  const long long begin = task.row_ptr[set], at = task.offset[p];
  Problem problem;
  problem.rows = task.row_index + begin;
  problem.n = static_cast<int>(task.row_ptr[set + 1] - begin);
  problem.target = task.targets + task.target[p] * task.n_rows;
  problem.weight = task.weight[p] < 0 ? nullptr : task.weights + task.weight[p] * task.n_rows;
  problem.mask = task.context + p * task.n_words;
  problem.alpha = task.alpha + at;
  problem.f = task.f + at;
  problem.support = task.support + at;
  problem.coef = task.coef + at;
  problem.chosen = task.chosen + at;
  problem.before = task.before + at;
  problem.C = task.C[p];
  problem.gamma = static_cast<float>(task.gamma[p]);
  return problem;
}

static __device__ double middle_of(const State& state) { return 0.5 * (static_cast<double>(state.gmax) + state.gmin); }

// Bias, objective and support rows; the last refresh may have left another list of support.
static __device__ __noinline__ void write(const Task& task, const Problem& problem, Shared& shared, int p,
                                          const State& state, double offset, Status status) {
  double objective = 0.0, free_sum = 0.0, free_count = 0.0;
  for (int t = threadIdx.x; t < problem.n; t += THREADS) {
    const double alpha = problem.alpha[t];
    const int row = problem.rows[t];
    if (alpha <= 0.0) continue;
    objective -= 0.5 * alpha * (1.0 + problem.target[row] * (offset + problem.f[t]));
    if (alpha >= bound_of(problem, row)) continue;
    free_sum += problem.f[t];
    free_count += 1.0;
  }
  objective = sum_over(shared, objective);
  free_sum = sum_over(shared, free_sum);
  free_count = sum_over(shared, free_count);
  const int support = gather(shared, problem);
  for (int s = threadIdx.x; s < support; s += THREADS) problem.support[s] = problem.rows[problem.support[s]];
  if (threadIdx.x == 0) {
    task.bias[p] = offset + (free_count > 0.0 ? free_sum / free_count : middle_of(state));
    task.objective[p] = objective;
    task.iterations[p] = state.iterations;
    task.n_support[p] = support;
    task.status[p] = static_cast<signed char>(status);
  }
}

// Iterations after which f may be formed anew: that reads at most a row of kernel values per row of the problem, in as
// many parts as registers need, where an iteration reads two rows in one part.
static __device__ long long refresh_period(long long n) {
  const long long period = 4096 + 16 * n * (1 + n / CAPACITY);
  return period < MAX_RUN ? period : MAX_RUN;
}

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS) solve_problems(const Task* given) {
  __shared__ Shared all_shared[PACK];
  const Task& task = *given;
  Shared& shared = all_shared[threadIdx.y];
  const long long place = static_cast<long long>(blockIdx.x) * PACK + threadIdx.y;
  if (place >= task.n_problems) return;
  const int p = task.problems[place];
  const Problem problem = view(task, p);

  double positive = 0.0, negative = 0.0;
  for (int t = threadIdx.x; t < problem.n; t += THREADS) {
    const int row = problem.rows[t];
    problem.alpha[t] = 0.0;
    problem.f[t] = problem.target[row];
    if (bound_of(problem, row) > 0.0) (problem.target[row] > 0 ? positive : negative) += 1.0;
  }
  positive = sum_over(shared, positive);
  negative = sum_over(shared, negative);
  sync();
  if (positive == 0.0 || negative == 0.0) {
    if (threadIdx.x == 0) {
      task.bias[p] = positive >= negative ? 1.0 : -1.0;
      task.status[p] = static_cast<signed char>(Status::one_class);
    }
    return;
  }
  const long long most = 100ll * problem.n > 10000000 ? 100ll * problem.n : 10000000;
  long long limit = task.max_iter >= 0 ? task.max_iter : most;
  State state = {0.0f, 0.0f, 0.0f, 0, 0.0};
  double offset = 0.0;
  // Rounding adds up in f. When it could matter, f is formed anew in double and the loop goes on if need be: at the
  // end, and on the way after so many iterations that the cost is lost in theirs.
  const long long run = refresh_period(problem.n);
  End end;
  for (int attempt = 0;;) {
    // Shorter and shorter towards the limit, so that what is left there has little rounding in it.
    const long long left = limit - state.iterations, half = left > 128 ? left / 2 : left;
    end = improve_all(task, problem, shared, state.iterations + (half < run ? half : run), state);
    if (end == End::stopped) break;
    if (sqrtf(state.drift) < 0.1f * static_cast<float>(task.tol) || state.drift == 0.0f) {
      if (end == End::reached || state.iterations >= limit) break;
      continue;
    }
    // Reached by rounding alone, again and again: the tolerance is out of reach.
    if (end == End::reached && ++attempt == MAX_REFRESHES) limit = state.iterations;
    // Rows that may still move have f near the middle of the gap. As differences from there they lose next to nothing
    // in single precision, so that a tolerance far below it can be reached.
    if (fabs(middle_of(state)) < FAR) offset += middle_of(state);  // no row on one side otherwise
    if (!spread(task, problem, shared, gather(shared, problem), true, offset)) {
      end = End::stopped;
      break;
    }
    state.drift = 0.0f;
  }
  const Status status = end == End::reached  ? Status::converged
                        : end == End::paused ? Status::iteration_limit
                                             : Status::interrupted;
  write(task, problem, shared, p, state, offset, status);
}
