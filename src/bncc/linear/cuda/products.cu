// Products of sparse rows with blocks of columns. REAL is float or double. A row is features, then labels; the constant
// comes last and is not stored.

// Lines of stored entries times the weights: one warp takes a line and 128 columns of the block, so that every read of
// weights is of neighbours. Line l is row l of the result; or part of row targets[l], and added to it.
extern "C" __global__ void multiply(const long long* line_ptr, const int* columns, const REAL* values,
                                    long long n_lines, const int* targets, const REAL* weights, int width, int squared,
                                    REAL* out) {
  const long long line = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y;
  const int first = blockIdx.y * 128 + threadIdx.x;
  if (line >= n_lines) return;
  REAL sums[4] = {0, 0, 0, 0};
  const long long end = line_ptr[line + 1];
#pragma unroll 4
  for (long long k = line_ptr[line]; k < end; ++k) {
    const REAL* row = weights + static_cast<size_t>(columns[k]) * width;
    const REAL value = squared ? values[k] * values[k] : values[k];
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      if (first + 32 * part < width) sums[part] += value * row[first + 32 * part];
    }
  }
  REAL* result = out + static_cast<size_t>(targets ? targets[line] : line) * width;
  for (int part = 0; part < 4; ++part) {
    const int column = first + 32 * part;
    if (column >= width) break;
    if (targets) {
      atomicAdd(result + column, sums[part]);
    } else {
      result[column] = sums[part];
    }
  }
}

// Rows of one matrix, then those of another, whose columns come after its columns; `ptr` says where each row goes.
extern "C" __global__ void join_rows(const long long* left_ptr, const int* left_columns, const REAL* left_values,
                                     const long long* right_ptr, const int* right_columns, const REAL* right_values,
                                     long long n_rows, int n_left_columns, const long long* ptr, int* columns,
                                     REAL* values) {
  const long long row = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y;
  if (row >= n_rows) return;
  const long long left = left_ptr[row], n_left = left_ptr[row + 1] - left;
  const long long right = right_ptr[row], n_right = right_ptr[row + 1] - right;
  for (long long k = threadIdx.x; k < n_left + n_right; k += 32) {
    const bool is_left = k < n_left;
    columns[ptr[row] + k] = is_left ? left_columns[left + k] : n_left_columns + right_columns[right + k - n_left];
    values[ptr[row] + k] = is_left ? left_values[left + k] : right_values[right + k - n_left];
  }
}

// What entries (problem, row, factor) add to tables of one line per problem: a row times the factor, or times the
// factor and the product of the row with the problem's line of `weights` (bend), or squares of a row times the factor.
// A warp takes CHUNK entries, which are sorted by problem, and adds what they have for the constant once.
extern "C" __global__ void collect(const long long* row_ptr, const int* columns, const REAL* values,
                                   const int* problems, const int* rows, const REAL* factors, long long n_entries,
                                   const REAL* weights, long long n_columns, REAL bias, int squared, REAL* out) {
  const long long first = (blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y) * CHUNK;
  const int lane = threadIdx.x;
  REAL constant = 0;
  for (long long entry = first; entry < first + CHUNK && entry < n_entries; ++entry) {
    const size_t line = static_cast<size_t>(problems[entry]) * n_columns;
    const long long begin = row_ptr[rows[entry]], end = row_ptr[rows[entry] + 1];
    REAL factor = factors[entry];
    if (weights) {
      REAL sum = lane ? REAL(0) : bias * weights[line + n_columns - 1];
      for (long long k = begin + lane; k < end; k += 32) sum += values[k] * weights[line + columns[k]];
      for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
      factor *= sum;
    }
    for (long long k = begin + lane; k < end; k += 32) {
      const REAL value = values[k];
      atomicAdd(out + line + columns[k], factor * (squared ? value * value : value));
    }
    constant += factor * (squared ? bias * bias : bias);
    const bool last = entry + 1 >= first + CHUNK || entry + 1 >= n_entries || problems[entry + 1] != problems[entry];
    if (last && !lane) atomicAdd(out + line + n_columns - 1, constant);
    if (last) constant = 0;
  }
}

// What a row costs at a score: squared hinge (0), hinge (1), logistic (2). The cost carries the sign of the class.
__device__ inline double lost(int loss, double score, double cost) {
  const double size = cost > 0 ? cost : -cost, margin = cost > 0 ? score : -score;
  if (loss == 2) return size * ((margin < 0 ? -margin : 0.0) + log1p(exp(margin < 0 ? margin : -margin)));
  const double lack = margin < 1 ? 1 - margin : 0.0;
  return size * (loss ? lack : lack * lack);
}

// Sums over the rows of two tables, column by column: of products (loss below 0) or of losses. A block of 32 x 8
// threads takes 32 columns and one of gridDim.y parts of the rows; parts are added by the caller, in their order.
extern "C" __global__ void column_sums(const REAL* left, const REAL* right, long long n_rows, int width, int loss,
                                       double* parts) {
  __shared__ double sums[8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  double sum = 0;
  if (column < width) {
    for (long long row = blockIdx.y * 8LL + threadIdx.y; row < n_rows; row += 8LL * gridDim.y) {
      const size_t at = static_cast<size_t>(row) * width + column;
      const double a = left[at], b = right[at];
      sum += loss < 0 ? a * b : lost(loss, a, b);
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y || column >= width) return;
  for (int part = 1; part < 8; ++part) sum += sums[part][threadIdx.x];
  parts[static_cast<size_t>(blockIdx.y) * width + column] = sum;
}

// First and second derivatives of what rows cost by their scores.
extern "C" __global__ void derivatives(const REAL* scores, const REAL* costs, long long size, int loss, REAL* slope,
                                       REAL* curvature) {
  const long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (at >= size) return;
  const REAL cost = costs[at], weight = cost > 0 ? cost : -cost, margin = cost > 0 ? scores[at] : -scores[at];
  if (loss == 2) {
    const REAL p = 1 / (1 + exp(margin));
    slope[at] = -cost * p;
    curvature[at] = weight * p * (1 - p);
  } else {
    const REAL lack = 1 - margin;
    slope[at] = lack > 0 ? -2 * cost * lack : REAL(0);
    curvature[at] = lack > 0 ? 2 * weight : REAL(0);
  }
}
