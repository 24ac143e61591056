/* Linear algebra of small matrices in double precision, in place of the 25 MB of OpenBLAS that NumPy's wheel brings.
 *
 * NumPy's modules look for the functions of BLAS and LAPACK in the library that the wheel names; this one takes its name. What the
 * engine uses is here: products, solving, determinants, singular values and the eigenvalues of symmetric matrices, for any size,
 * written for small ones. Every other function ends the process with a message, see `tools/small_algebra.py`.
 *
 * Names, arguments and the order of matrices are those of BLAS and LAPACK with integers of 64 bits; LAPACK's matrices lie column by
 * column. Products add with one rounding, as OpenBLAS does on these processors.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t Integer;

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, LOWER = 122 };

/* --- BLAS ------------------------------------------------------------------------------------------------------------------------ */

#define PRODUCTS(letter, Real, multiply_add)                                                                                        \
  void scipy_cblas_##letter##axpy64_(Integer n, Real a, const Real *x, Integer step_x, Real *y, Integer step_y) {                   \
    for (Integer i = 0; i < n; i++) y[i * step_y] = multiply_add(a, x[i * step_x], y[i * step_y]);                                  \
  }                                                                                                                                 \
  void scipy_##letter##copy_64_(const Integer *n, const Real *x, const Integer *step_x, Real *y, const Integer *step_y) {           \
    if (*step_x < 0) x -= (*n - 1) * *step_x;                                                                                       \
    if (*step_y < 0) y -= (*n - 1) * *step_y;                                                                                       \
    for (Integer i = 0; i < *n; i++) y[i * *step_y] = x[i * *step_x];                                                               \
  }                                                                                                                                 \
  void scipy_cblas_##letter##gemm64_(int order, int turn_a, int turn_b, Integer rows, Integer columns, Integer inner, Real alpha,   \
                                     const Real *a, Integer step_a, const Real *b, Integer step_b, Real beta, Real *c,              \
                                     Integer step_c) {                                                                              \
    int along_a = (turn_a == NOT_TRANSPOSED) == (order == ROW_MAJOR), along_b = (turn_b == NOT_TRANSPOSED) == (order == ROW_MAJOR);  \
    for (Integer i = 0; i < rows; i++)                                                                                              \
      for (Integer j = 0; j < columns; j++) {                                                                                       \
        Real sum = 0, *to = order == ROW_MAJOR ? &c[i * step_c + j] : &c[j * step_c + i];                                           \
        for (Integer k = 0; k < inner; k++)                                                                                         \
          sum = multiply_add(along_a ? a[i * step_a + k] : a[k * step_a + i], along_b ? b[k * step_b + j] : b[j * step_b + k], sum); \
        *to = beta == 0 ? alpha * sum : multiply_add(alpha, sum, beta * *to);                                                       \
      }                                                                                                                             \
  }                                                                                                                                 \
  void scipy_cblas_##letter##gemv64_(int order, int turn, Integer rows, Integer columns, Real alpha, const Real *a, Integer step_a, \
                                     const Real *x, Integer step_x, Real beta, Real *y, Integer step_y) {                           \
    int along = (turn == NOT_TRANSPOSED) == (order == ROW_MAJOR);                                                                   \
    Integer count = turn == NOT_TRANSPOSED ? rows : columns, inner = turn == NOT_TRANSPOSED ? columns : rows;                       \
    for (Integer i = 0; i < count; i++) {                                                                                           \
      Real sum = 0;                                                                                                                 \
      if (along && inner == 3) { /* the order in which OpenBLAS adds three */                                                       \
        const Real *r = a + i * step_a;                                                                                             \
        sum = multiply_add(r[2], x[2 * step_x], multiply_add(r[0], x[0], r[1] * x[step_x]));                                        \
      } else                                                                                                                        \
        for (Integer k = 0; k < inner; k++) sum = multiply_add(along ? a[i * step_a + k] : a[k * step_a + i], x[k * step_x], sum);  \
      y[i * step_y] = beta == 0 ? alpha * sum : multiply_add(alpha, sum, beta * y[i * step_y]);                                     \
    }                                                                                                                               \
  }                                                                                                                                 \
  void scipy_cblas_##letter##syrk64_(int order, int half, int turn, Integer size, Integer inner, Real alpha, const Real *a,         \
                                     Integer step_a, Real beta, Real *c, Integer step_c) {                                          \
    int along = (turn == NOT_TRANSPOSED) == (order == ROW_MAJOR);                                                                   \
    for (Integer i = 0; i < size; i++)                                                                                              \
      for (Integer j = half == LOWER ? 0 : i; j < (half == LOWER ? i + 1 : size); j++) {                                            \
        Real sum = 0, *to = order == ROW_MAJOR ? &c[i * step_c + j] : &c[j * step_c + i];                                           \
        for (Integer k = 0; k < inner; k++)                                                                                         \
          sum = multiply_add(along ? a[i * step_a + k] : a[k * step_a + i], along ? a[j * step_a + k] : a[k * step_a + j], sum);    \
        *to = beta == 0 ? alpha * sum : multiply_add(alpha, sum, beta * *to);                                                       \
      }                                                                                                                             \
  }

float scipy_cblas_sdot64_(Integer n, const float *x, Integer step_x, const float *y, Integer step_y) {
  double sum = 0.0;
  if (step_x < 0) x -= (n - 1) * step_x;
  if (step_y < 0) y -= (n - 1) * step_y;
  for (Integer i = 0; i < n; i++) sum += (double)(x[i * step_x] * y[i * step_y]);
  return (float)sum;
}

double scipy_cblas_ddot64_(Integer n, const double *x, Integer step_x, const double *y, Integer step_y) {
  double sum = 0.0;
  if (step_x < 0) x -= (n - 1) * step_x;
  if (step_y < 0) y -= (n - 1) * step_y;
  for (Integer i = 0; i < n; i++) sum = fma(x[i * step_x], y[i * step_y], sum);
  return sum;
}

PRODUCTS(s, float, fmaf)
PRODUCTS(d, double, fma)

/* --- LAPACK ---------------------------------------------------------------------------------------------------------------------- */

/* P A = L U with the largest pivot of each column, as dgetrf. */
void scipy_dgetrf_64_(const Integer *rows, const Integer *columns, double *a, const Integer *step, Integer *pivots, Integer *info) {
  Integer m = *rows, n = *columns, lda = *step, least = m < n ? m : n;
  *info = 0;
  for (Integer k = 0; k < least; k++) {
    Integer largest = k;
    for (Integer i = k + 1; i < m; i++) if (fabs(a[i + k * lda]) > fabs(a[largest + k * lda])) largest = i;
    pivots[k] = largest + 1;
    if (a[largest + k * lda] == 0.0) {
      if (!*info) *info = k + 1;
      continue;
    }
    for (Integer j = 0; j < n && largest != k; j++) {
      double kept = a[k + j * lda];
      a[k + j * lda] = a[largest + j * lda];
      a[largest + j * lda] = kept;
    }
    for (Integer i = k + 1; i < m; i++) {
      double factor = a[i + k * lda] *= 1.0 / a[k + k * lda];
      for (Integer j = k + 1; j < n; j++) a[i + j * lda] -= factor * a[k + j * lda];
    }
  }
}

/* A X = B, as dgesv. */
void scipy_dgesv_64_(const Integer *size, const Integer *right, double *a, const Integer *step_a, Integer *pivots, double *b,
                     const Integer *step_b, Integer *info) {
  Integer n = *size, lda = *step_a, ldb = *step_b;
  scipy_dgetrf_64_(size, size, a, step_a, pivots, info);
  for (Integer c = 0; c < *right && !*info; c++) {
    double *x = b + c * ldb;
    for (Integer k = 0; k < n; k++) {
      double kept = x[k];
      x[k] = x[pivots[k] - 1];
      x[pivots[k] - 1] = kept;
    }
    for (Integer k = 0; k < n; k++) for (Integer i = k + 1; i < n; i++) x[i] = fma(-a[i + k * lda], x[k], x[i]);
    for (Integer k = n - 1; k >= 0; k--) {
      x[k] /= a[k + k * lda];
      for (Integer i = 0; i < k; i++) x[i] = fma(-a[i + k * lda], x[k], x[i]);
    }
  }
}

/* Eigenvalues, and with jobz V eigenvectors, of a symmetric matrix in ascending order, as dsyevd: Jacobi's rotations. */
void scipy_dsyevd_64_(const char *job, const char *half, const Integer *size, double *a, const Integer *step, double *values,
                      double *work, const Integer *work_size, Integer *integers, const Integer *integer_count, Integer *info) {
  Integer n = *size, lda = *step;
  *info = 0;
  if (*work_size == -1 || *integer_count == -1) {
    work[0] = (double)(2 * n * n + 1), integers[0] = 1;
    return;
  }
  double *s = work, *v = work + n * n;
  for (Integer i = 0; i < n; i++)
    for (Integer j = 0; j < n; j++) {
      int is_given = *half == 'L' || *half == 'l' ? i >= j : i <= j;
      s[i + j * n] = is_given ? a[i + j * lda] : a[j + i * lda], v[i + j * n] = i == j;
    }
  for (int sweep = 0; sweep < 64; sweep++) {
    double off = 0.0;
    for (Integer p = 0; p < n; p++)
      for (Integer q = p + 1; q < n; q++) {
        double x = s[p + q * n];
        if (x == 0.0) continue;
        off += x * x;
        double turn = (s[q + q * n] - s[p + p * n]) / (2.0 * x);
        double t = (turn < 0.0 ? -1.0 : 1.0) / (fabs(turn) + sqrt(turn * turn + 1.0)), c = 1.0 / sqrt(t * t + 1.0), d = t * c;
        for (Integer k = 0; k < n; k++) {
          double f = s[k + p * n], g = s[k + q * n];
          s[k + p * n] = c * f - d * g, s[k + q * n] = d * f + c * g;
        }
        for (Integer k = 0; k < n; k++) {
          double f = s[p + k * n], g = s[q + k * n], vf = v[k + p * n], vg = v[k + q * n];
          s[p + k * n] = c * f - d * g, s[q + k * n] = d * f + c * g;
          v[k + p * n] = c * vf - d * vg, v[k + q * n] = d * vf + c * vg;
        }
      }
    if (off == 0.0) break;
  }
  for (Integer i = 0; i < n; i++) {
    Integer least = -1; /* of the columns that were not taken yet: those have no NaN on the diagonal */
    for (Integer k = 0; k < n; k++)
      if (!isnan(s[k + k * n]) && (least < 0 || s[k + k * n] < s[least + least * n])) least = k;
    if (least < 0) {
      *info = i + 1;
      return;
    }
    values[i] = s[least + least * n], s[least + least * n] = NAN;
    for (Integer k = 0; k < n && (*job == 'V' || *job == 'v'); k++) a[k + i * lda] = v[k + least * n];
  }
}

/* A = U diag(s) V^T with descending s, as dgesdd with job N, S or A: one-sided Jacobi on the columns of A, or of its transpose where it
 * has more columns than rows; columns of U that A does not give are completed by Gram and Schmidt. */
void scipy_dgesdd_64_(const char *job, const Integer *row_count, const Integer *column_count, double *a, const Integer *step,
                      double *sizes, double *u, const Integer *step_u, double *vt, const Integer *step_v, double *work,
                      const Integer *work_size, Integer *integers, Integer *info) {
  (void)integers;
  *info = 0;
  if (*work_size == -1) {
    work[0] = 1.0;
    return;
  }
  int is_wide = *column_count > *row_count, wants_vectors = *job != 'N', wants_all = *job == 'A';
  Integer m = is_wide ? *column_count : *row_count, n = is_wide ? *row_count : *column_count; /* m >= n */
  double *w = malloc(sizeof(double) * (size_t)(m * m + n * n + n + 1)), *v = w + m * m;
  if (!w) {
    *info = 1;
    return;
  }
  for (Integer i = 0; i < m; i++)
    for (Integer j = 0; j < n; j++) {
      w[i + j * m] = is_wide ? a[j + i * *step] : a[i + j * *step];
      if (isnan(w[i + j * m])) *info = 1;
    }
  for (Integer i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
  for (int sweep = 0, is_turned = !*info; sweep < 64 && is_turned; sweep++) {
    is_turned = 0;
    for (Integer p = 0; p < n; p++)
      for (Integer q = p + 1; q < n; q++) {
        double pp = 0.0, qq = 0.0, pq = 0.0;
        for (Integer k = 0; k < m; k++) {
          double f = w[k + p * m], g = w[k + q * m];
          pp += f * f, qq += g * g, pq += f * g;
        }
        if (fabs(pq) <= 1e-16 * sqrt(pp * qq)) continue;
        is_turned = 1;
        double turn = (qq - pp) / (2.0 * pq);
        double t = (turn < 0.0 ? -1.0 : 1.0) / (fabs(turn) + sqrt(turn * turn + 1.0)), c = 1.0 / sqrt(t * t + 1.0), d = t * c;
        for (Integer k = 0; k < m; k++) {
          double f = w[k + p * m], g = w[k + q * m];
          w[k + p * m] = c * f - d * g, w[k + q * m] = d * f + c * g;
        }
        for (Integer k = 0; k < n; k++) {
          double f = v[k + p * n], g = v[k + q * n];
          v[k + p * n] = c * f - d * g, v[k + q * n] = d * f + c * g;
        }
      }
  }
  for (Integer j = 0; j < n; j++) { /* selection by size; the columns of w and v go along */
    Integer largest = j;
    double best = -1.0;
    for (Integer k = j; k < n; k++) {
      double square = 0.0;
      for (Integer i = 0; i < m; i++) square += w[i + k * m] * w[i + k * m];
      if (square > best) best = square, largest = k;
    }
    for (Integer i = 0; i < m && largest != j; i++) {
      double kept = w[i + j * m];
      w[i + j * m] = w[i + largest * m], w[i + largest * m] = kept;
    }
    for (Integer i = 0; i < n && largest != j; i++) {
      double kept = v[i + j * n];
      v[i + j * n] = v[i + largest * n], v[i + largest * n] = kept;
    }
    sizes[j] = sqrt(best);
  }
  if (wants_vectors && !*info) {
    Integer count = wants_all ? m : n;
    for (Integer j = 0; j < count; j++) {
      double size = j < n ? sizes[j] : 0.0;
      int is_null = !(size > 1e-15 * sizes[0]);
      for (Integer axis = 0; axis < (is_null ? m : 1); axis++) {
        double left = 0.0;
        for (Integer i = 0; i < m; i++) w[i + j * m] = is_null ? i == axis : w[i + j * m] / size;
        if (!is_null) break;
        for (int again = 0; again < 2; again++)
          for (Integer k = 0; k < j; k++) {
            double along = 0.0;
            for (Integer i = 0; i < m; i++) along += w[i + j * m] * w[i + k * m];
            for (Integer i = 0; i < m; i++) w[i + j * m] -= along * w[i + k * m];
          }
        for (Integer i = 0; i < m; i++) left += w[i + j * m] * w[i + j * m];
        if (left < 0.25 / (double)m) continue; /* too near to the columns before it */
        for (Integer i = 0; i < m; i++) w[i + j * m] /= sqrt(left);
        break;
      }
    }
    for (Integer j = 0; j < count; j++)
      for (Integer i = 0; i < m; i++) {
        if (is_wide) vt[j + i * *step_v] = w[i + j * m];
        else u[i + j * *step_u] = w[i + j * m];
      }
    for (Integer j = 0; j < n; j++)
      for (Integer i = 0; i < n; i++) {
        if (is_wide) u[i + j * *step_u] = v[i + j * n];
        else vt[j + i * *step_v] = v[i + j * n];
      }
  }
  free(w);
}
