void lw_eliminate(double *y, const double *x, double f, size_t n);

/* y[i] = e[rows[i]] x[i] */
static void lw_weighted(double *y, const double *x, const double *e, const size_t *rows, size_t m) {
    for (size_t i = 0; i < m; i++) y[i] = e[rows[i]] * x[i];
}

/* (L'R + e) x = b over the rows in force, x = 0 elsewhere, refined against e = 0 once (gently) or twice.

   in: L and R (count entries each, by columns that begin at `starts`, each entry at its place among k) | e | mask | b.
   scratch: the same | L by rows over what is in force | rows in force | order of pivots | A | three vectors. */
EXPORT void lw_closed(const double *in, double *out, double *scratch, size_t stride, const size_t *starts,
                      const size_t *places, size_t n, size_t dims, size_t count, int gently) {
    double *left = scratch, *right = left + count, *e = right + count, *mask = e + n, *b = mask + n, *w = b + n;
    size_t *rows = (size_t *)(w + dims * n), *order = rows + n;
    double *a = w + dims * n + 2 * n, *x = a + n * n, *x2 = x + n, *x3 = x2 + n;
    size_t m = 0;
    for (size_t i = 0; i < 2 * count + 3 * n; i++) scratch[i] = in[i * stride];
    for (size_t c = 0; c < n; c++) {
        out[c * stride] = 0.0;
        if (mask[c] != 0.0) {
            rows[m] = c;
            x[m] = b[c];
            m++;
        }
    }
    /* the rows of L over what is in force, so that a column of A is a sum of them, element by element */
    for (size_t k = 0; k < dims * m; k++) w[k] = 0.0;
    for (size_t i = 0; i < m; i++) {
        size_t end = starts[rows[i] + 1];
        for (size_t p = starts[rows[i]]; p < end; p++) w[places[p] * m + i] = left[p];
    }
    for (size_t j = 0; j < m; j++) {
        double *column = a + j * m;
        size_t end = starts[rows[j] + 1];
        for (size_t i = 0; i < m; i++) column[i] = 0.0;
        for (size_t p = starts[rows[j]]; p < end; p++)
            lw_eliminate(column, w + places[p] * m, -right[p], m);
        column[j] += e[rows[j]];
    }
    lw_factor(a, order, m);
    lw_substitute(a, order, x, m);
    lw_weighted(x2, x, e, rows, m);
    lw_substitute(a, order, x2, m);
    lw_weighted(x3, x2, e, rows, m);
    lw_substitute(a, order, x3, m);
    for (size_t i = 0; i < m; i++)
        out[rows[i] * stride] = gently ? x[i] - x2[i] : x[i] + x2[i] - 2.0 * x3[i];
}
