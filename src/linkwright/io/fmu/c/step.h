/* One step of an explicit Runge-Kutta method, its error and its interpolant.
 *
 * Step control: Hairer, Norsett, Wanner I, Section II.4, with the error of the step before.
 */

/* the largest of the root mean squares over q, u and z; errors of speeds and auxiliary states count relative to them */
static double norm(const double *e, const double *a, const double *b) {
    double worst = 0.0;
    int start = 0;
    for (int group = 0; group < 3; group++) {
        int stop = group == 0 ? N_Q : group == 1 ? N_Q + N_U : N_X;
        double total = 0.0;
        for (int i = start; i < stop; i++) {
            double w = state_weight[i], size = larger(fabs(a[i]), fabs(b[i]));
            if (group > 0 && w * size > 1.0) w = 1.0 / size;
            total += w * e[i] * w * e[i];
        }
        if (stop > start) {
            double value = sqrt(total / (stop - start));
            worst = value <= worst ? worst : value;
        }
        start = stop;
    }
    return worst;
}

/* x = x0 + h sum_j coefficients[j] k[j] */
static void combine(Memory *m, double h, const double *coefficients, int count, double *into) {
    for (int i = 0; i < N_X; i++) into[i] = 0.0;
    for (int j = 0; j < count; j++) {
        double a = h * coefficients[j];
        if (a != 0.0)
            for (int i = 0; i < N_X; i++) into[i] += a * m->k[j * N_SLOPE + i];
    }
}

static void to_stage(Memory *m, double h, int stage) {
    double *x = m->now.in + 1;
    combine(m, h, method_a + stage * WIDTH, stage, x);
    for (int i = 0; i < N_X; i++) x[i] += m->x0[i];
    m->now.in[0] = m->t0 + method_c[stage] * h;
}

static int stage_slope(Memory *m, double h, int stage) {
    to_stage(m, h, stage);
    prescribe(m);
    return evaluate(m, m->k + stage * N_SLOPE);
}

/* an error estimate without what projection has repaired already */
static void project_error(Memory *m, double *e) {
    if (HAS_PROJECT) {
        copy(e, m->now.in + N_IN, N_X);
        model_project_error(m->now.in, m->out, m->work);
        for (int i = 0; i < N_X; i++) e[i] = m->out[i] + REPAIRED * (e[i] - m->out[i]);
    }
    for (int k = 0; k < N_QUATERNIONS; k++) {
        int s = quaternion_place[k];
        double along = 0.0;
        for (int i = s; i < s + 4; i++) along += e[i] * m->now.in[1 + i];
        for (int i = s; i < s + 4; i++) e[i] -= along * m->now.in[1 + i];
    }
}

/* one trial step from x0 at t0 to t1: the new state in the input vector, its slope in k[STAGES], its error */
static int attempt(Memory *m, double *error) {
    double h = m->t1 - m->t0;
    for (int stage = 1; stage < STAGES; stage++) {
        int status = stage_slope(m, h, stage);
        if (status != GOOD) return status;
    }
    to_stage(m, h, STAGES);
    m->now.in[0] = m->t1;
    copy(m->now.in + 1, m->x1, N_X);
    int status = to_manifold(m);
    if (status != GOOD) return status;
    double astray = 0.0;
    for (int i = 0; i < N_Q; i++) astray = larger(astray, fabs(m->now.in[1 + i] - m->x1[i]));
    copy(m->now.in + 1, m->x1, N_X);
    if (!CLOSED && astray > ASTRAY * m->now.accuracy) {
        *error = NEVER;
        return INACCURATE;
    }
    status = evaluate(m, m->k + STAGES * N_SLOPE);
    if (status != GOOD) return status;
    for (int row = 0; row < ERROR_ROWS; row++) {
        combine(m, h, method_e + row * WIDTH, STAGES + 1, m->error + row * N_X);
        project_error(m, m->error + row * N_X);
    }
    double high = norm(m->error, m->x0, m->x1);
    if (ERROR_ROWS == 2 && high > 0.0) {
        double low = norm(m->error + N_X, m->x0, m->x1);
        high = high * high / sqrt(high * high + 0.01 * low * low);
    }
    *error = high / m->now.accuracy;
    return *error <= 1.0 ? GOOD : INACCURATE;
}

/* coefficients of the interpolant over the step */
static int interpolate(Memory *m) {
    double h = m->t1 - m->t0;
    double *last = m->k + STAGES * N_SLOPE;
    for (int stage = STAGES + 1; stage < ROWS; stage++) {
        int status = stage_slope(m, h, stage);
        if (status != GOOD) return status;
    }
    for (int i = 0; i < N_X; i++) {
        double difference = m->x1[i] - m->x0[i], bend = h * m->k[i] - difference;
        m->dense[i] = m->x0[i];
        m->dense[N_X + i] = difference;
        m->dense[2 * N_X + i] = bend;
        m->dense[3 * N_X + i] = difference - h * last[i] - bend;
    }
    for (int row = 4; row < DENSE_ROWS; row++) combine(m, h, method_d + (row - 4) * WIDTH, ROWS, m->dense + row * N_X);
    return GOOD;
}

/* the state at a part of the step into the input vector */
static void to_point(Memory *m, double theta) {
    if (theta >= 1.0) {
        m->now.in[0] = m->t1;
        copy(m->x1, m->now.in + 1, N_X);
        return;
    }
    m->now.in[0] = m->t0 + theta * (m->t1 - m->t0);
    for (int i = 0; i < N_X; i++) {
        double value = m->dense[(DENSE_ROWS - 1) * N_X + i];
        for (int row = DENSE_ROWS - 2; row >= 0; row--)
            value = m->dense[row * N_X + i] + value * (row % 2 == 0 ? theta : 1.0 - theta);
        m->now.in[1 + i] = value;
    }
    to_manifold(m);
}

/* a first step from the sizes of x, its slope and its bend; at most what error control has planned */
static double first_step(Memory *m, double span) {
    double *x = m->now.in + 1, *k1 = m->k + N_SLOPE;
    copy(x, m->x0, N_X);
    double d0 = norm(x, x, x) / m->now.accuracy, d1 = norm(m->now.slope, x, x) / m->now.accuracy;
    double h0 = smaller(d0 < SAYS_NOTHING || d1 < SAYS_NOTHING ? FIRST_STEP : FIRST_SHARE * d0 / d1, span), t = m->now.in[0];
    for (int i = 0; i < N_X; i++) x[i] = m->x0[i] + h0 * m->now.slope[i];
    m->now.in[0] = t + h0;
    int status = evaluate(m, k1);
    m->now.in[0] = t;
    copy(m->x0, x, N_X);
    if (status != GOOD) return FIRST_SHORTER * h0;
    for (int i = 0; i < N_X; i++) m->error[i] = (k1[i] - m->now.slope[i]) / h0;
    double d2 = norm(m->error, x, x) / m->now.accuracy, most = larger(d1, d2);
    double h1 = most > NO_SLOPE ? pow(FIRST_SHARE / most, 1.0 / ERROR_ORDER)
        : larger(FIRST_STEP, FIRST_SHORTER * h0);
    double longest = d0 >= SAYS_NOTHING && d2 > NO_SLOPE ? larger(sqrt(BENT * d0 / d2), FIRST_SHORTER * h0) : NEVER;
    double first = smaller(FIRST_LONGER * h0, smaller(h1, longest));
    return m->now.h > 0.0 ? smaller(m->now.h, m->now.jumped ? first : longest) : first;
}
