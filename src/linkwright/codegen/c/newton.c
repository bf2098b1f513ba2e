/* What Newton's method and its linear equations need of the numbers of one lane, which lie a stride apart. */
EXPORT void lw_copy(double *to, const double *from, size_t n, size_t to_stride, size_t from_stride) {
    for (size_t i = 0; i < n; i++) to[i * to_stride] = from[i * from_stride];
}

/* the largest |x|, not a number if one is not */
EXPORT double lw_norm(const double *x, size_t n, size_t stride) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(x[i * stride]);
        if (size > most || size != size) most = size;
    }
    return most;
}

/* [A | b | order], n x n, n and n: A is destroyed, b becomes the solution of A x = b */
EXPORT void lw_solve(double *a, size_t n) {
    size_t *order = (size_t *)(a + n * n + n);
    lw_factor(a, order, n);
    lw_substitute(a, order, a + n * n, n);
}

/* y -= step; whether it was too small to matter */
EXPORT int lw_advance(double *y, const double *step, size_t n, size_t stride) {
    double size = lw_norm(step, n, 1);
    for (size_t i = 0; i < n; i++) y[i * stride] -= step[i];
    return size <= STALL * lw_norm(y, n, stride);
}
