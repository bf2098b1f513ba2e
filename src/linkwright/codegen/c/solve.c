/* LU with partial pivoting.  Inner loops run down columns, and every entry sees the same operations in the same order
   however many of them lw_eliminate, y[i] -= f x[i] for i < n, takes at once. */
void lw_eliminate(double *y, const double *x, double f, size_t n);

/* A by columns, n x n, becomes its factors L and U; row k was exchanged with row order[k] */
EXPORT void lw_factor(double *a, size_t *order, size_t n) {
    for (size_t k = 0; k < n; k++) {
        double *column = a + k * n, best = -1.0;
        size_t row = k;
        for (size_t i = k; i < n; i++) {
            double size = fabs(column[i]);
            if (size > best) {
                best = size;
                row = i;
            }
        }
        order[k] = row;
        if (row != k) {
            for (size_t j = 0; j < n; j++) {
                double held = a[j * n + k];
                a[j * n + k] = a[j * n + row];
                a[j * n + row] = held;
            }
        }
        double pivot = column[k];
        for (size_t i = k + 1; i < n; i++) column[i] /= pivot;
        for (size_t j = k + 1; j < n; j++) lw_eliminate(a + j * n + k + 1, column + k + 1, a[j * n + k], n - k - 1);
    }
}

/* b becomes the solution of A x = b, by the factors of A */
EXPORT void lw_substitute(const double *a, const size_t *order, double *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        double held = b[k];
        b[k] = b[order[k]];
        b[order[k]] = held;
    }
    for (size_t k = 0; k < n; k++) lw_eliminate(b + k + 1, a + k * n + k + 1, b[k], n - k - 1);
    for (size_t k = n; k-- > 0;) {
        b[k] /= a[k * n + k];
        lw_eliminate(b, a + k * n, b[k], k);
    }
}
