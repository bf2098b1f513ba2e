/* the piece of an axis that x lies in, by halving; the end pieces go on beyond the ends */
static size_t lw_piece(const double *breaks, size_t count, double x) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (x >= breaks[middle]) low = middle;
        else high = middle;
    }
    return low;
}

/* the splines that live on a piece, and their derivatives: found[terms d + j], d up to order, at u from its beginning;
   c[terms r + j] are the coefficients of u^r */
static void lw_splines(const double *c, size_t terms, double u, size_t order, double *found) {
    double factor = 1.0;
    for (size_t k = 0; k < terms * (order + 1); k++) found[k] = 0.0;
    /* Horner's scheme for the values and the derivatives over d! */
    for (size_t r = terms; r-- > 0;) {
        for (size_t k = terms * (order + 1); k-- > terms;) found[k] = found[k] * u + found[k - terms];
        for (size_t j = 0; j < terms; j++) found[j] = found[j] * u + c[terms * r + j];
    }
    for (size_t d = 2; d <= order; d++) {
        factor *= (double)d;
        for (size_t j = 0; j < terms; j++) found[terms * d + j] *= factor;
    }
}

/* z, z_x, z_y, z_xx, z_xy, z_yy, ... up to an order below 8, of the surface

       z(x, y) = sum_ij c[i, j] B_i(x) B_j(y)

   data: of x, then of y, the breaks of the pieces and their splines; then c.  Each axis has a straight piece beyond
   either end, whose splines are those of the piece beside it.  in: x, y; numbers of one call lie `stride` apart. */
EXPORT void lw_surface(const double *in, double *out, size_t stride, const double *data, size_t pieces_x,
                       size_t terms_x, size_t pieces_y, size_t terms_y, size_t order) {
    const double *splines_x = data + pieces_x + 1, *breaks_y = splines_x + pieces_x * terms_x * terms_x;
    const double *splines_y = breaks_y + pieces_y + 1, *c = splines_y + pieces_y * terms_y * terms_y;
    double along[48], across[48], sums[8];
    size_t i = lw_piece(data, pieces_x, in[0]), j = lw_piece(breaks_y, pieces_y, in[stride]), at = 0;
    size_t wide = pieces_y - 3 + terms_y, results = (order + 1) * (order + 2) / 2;
    lw_splines(splines_x + i * terms_x * terms_x, terms_x, in[0] - data[i], order, along);
    lw_splines(splines_y + j * terms_y * terms_y, terms_y, in[stride] - breaks_y[j], order, across);
    if (i > 0) i--;
    if (i > pieces_x - 3) i = pieces_x - 3;
    if (j > 0) j--;
    if (j > pieces_y - 3) j = pieces_y - 3;
    for (size_t k = 0; k < results; k++) out[k * stride] = 0.0;
    for (size_t a = 0; a < terms_x; a++) {
        const double *row = c + (i + a) * wide + j;
        for (size_t d = 0; d <= order; d++) {
            sums[d] = 0.0;
            for (size_t b = 0; b < terms_y; b++) sums[d] += row[b] * across[terms_y * d + b];
        }
        at = 0;
        for (size_t total = 0; total <= order; total++) {
            for (size_t d = 0; d <= total; d++) {
                out[at * stride] += along[terms_x * (total - d) + a] * sums[d];
                at++;
            }
        }
    }
}
