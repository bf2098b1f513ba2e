/* A run: steps with error control, events located in them; and the memory that runs take. */
/* mark which witnesses fall through zero from values a to b; any? */
static int falls(Memory *m, const double *a, const double *b, int mark) {
    int any = 0;
    for (int i = 0; i < N_WITNESSES; i++) {
        int crosses = a[i] > 0.0 && b[i] <= 0.0;
        if (mark) m->crossed[i] = crosses;
        any = any || crosses;
    }
    return any;
}

/* the first part of the step at which a witness has crossed, its state in the input vector; 2 where none has */
static double locate(Memory *m) {
    double low = 0.0, high = 0.0;
    int found = 0;
    for (int sample = 1; sample <= SAMPLES && !found; sample++) {
        high = (double)sample / SAMPLES;
        to_point(m, high);
        model_events(m->now.in, m->high, m->work);
        if (sample == 1)  /* a mode that was just set is right, whatever rounding says of its witness */
            for (int i = 0; i < N_WITNESSES; i++)
                if (!watch_when[i] && m->high[i] < m->now.low[i] && m->now.low[i] <= 0.0
                    && m->now.low[i] >= NOT_LEFT * m->high[i])
                    m->now.low[i] = TINY;
        found = falls(m, m->now.low, m->high, 1);
        if (!found) {
            low = high;
            copy(m->high, m->now.low, N_WITNESSES);
        }
    }
    if (!found) return 2.0;
    double width = m->t1 - m->t0, scale = TIME_RESOLUTION * larger(fabs(m->t0), fabs(m->t1));
    for (int round = 0; round < MAX_NARROWING && (high - low) * width > scale; round++) {
        double theta = 0.5 * (low + high);
        if (round % 2 == 0) {  /* where the straight line through the first witness that crosses does */
            double part = 1.0;
            for (int i = 0; i < N_WITNESSES; i++)
                if (m->crossed[i]) part = smaller(part, m->now.low[i] / (m->now.low[i] - m->high[i]));
            theta = low + larger(part, 1e-15) * (high - low);
            if (round % 4 == 2) theta += 0.01 * smaller(theta - low, high - theta);
        }
        if (theta <= low || theta >= high) theta = 0.5 * (low + high);
        if (theta <= low || theta >= high) break;
        to_point(m, theta);
        model_events(m->now.in, m->trial, m->work);
        if (falls(m, m->now.low, m->trial, 0)) {
            high = theta;
            copy(m->trial, m->high, N_WITNESSES);
            falls(m, m->now.low, m->high, 1);
        } else {
            low = theta;
            copy(m->trial, m->now.low, N_WITNESSES);
        }
    }
    to_point(m, low);
    copy(m->now.in + 1, m->behind, N_X);
    to_point(m, high);
    return high;
}

/* slope, witnesses and step size where steps begin anew */
static int begin(Memory *m, double target) {
    int status = m->now.changed ? to_manifold(m) : GOOD;
    if (status == GOOD && m->now.changed) status = agree(m, 0);
    if (status == GOOD) status = evaluate(m, m->now.slope);
    if (status == GOOD && complete(m, m->now.slope)) status = evaluate(m, m->now.slope);
    if (status != GOOD) return status;
    if (N_WITNESSES) model_events(m->now.in, m->now.low, m->work);
    m->now.instant = next_instant(m);
    if (m->now.changed || m->now.jumped || m->now.h <= 0.0) m->now.h = first_step(m, target - m->now.in[0]);
    m->now.changed = m->now.jumped = 0;
    m->now.error_before = REMEMBERED;
    m->now.restart = 1;
    m->now.rejected = 0;
    m->now.fresh = 1;
    return GOOD;
}

/* the step planned next, after one whose error is known */
static void plan(Memory *m, double error) {
    double h = m->t1 - m->t0, factor = m->now.restart ? GROW_FIRST : GROW;
    if (error > LEAST_ERROR) {
        double wanted = SAFETY * pow(error, -(1.0 / ERROR_ORDER - 0.75 * BETA)) * pow(m->now.error_before, BETA);
        factor = smaller(factor, larger(SHRINK, wanted));
    }
    m->now.error_before = larger(error, REMEMBERED);
    if (m->now.rejected) factor = smaller(factor, 1.0);
    m->now.h = h < m->now.h ? larger(m->now.h, h * factor) : h * factor;
    m->now.rejected = m->now.restart = 0;
}

/* one accepted step, not beyond the target */
static int step(Memory *m, double target) {
    double error = 0.0, theta = 2.0;
    copy(m->now.in + 1, m->x0, N_X);
    m->t0 = m->now.in[0];
    while (1) {
        double h = m->now.h;
        m->t1 = m->t0 + h;
        if (m->t1 >= target - STRETCH * h) m->t1 = target;
        else if (m->t1 + h > target) m->t1 = m->t0 + 0.5 * (target - m->t0);
        copy(m->now.slope, m->k, N_SLOPE);
        int status = attempt(m, &error);
        if (status == GOOD && N_WITNESSES) status = interpolate(m);
        if (status == GOOD) break;
        h = m->t1 - m->t0;
        double shrink = status == OPEN_LOOP ? 0.5 : 0.25;
        if (status == INACCURATE && error == NEVER) shrink = 0.5;
        else if (status == INACCURATE)
            shrink = error < ASTRONOMIC ? larger(SHRINK, smaller(SAFETY, SAFETY * pow(error, -1.0 / ERROR_ORDER)))
                : SHRINK;
        m->now.h = h * shrink;
        m->now.rejected = 1;
        m->now.in[0] = m->t0;
        copy(m->x0, m->now.in + 1, N_X);
        if (m->now.h < SHORTEST_STEP * larger(fabs(m->t0), SHORTEST_SHARE * fabs(target - m->t0)))
            return status == INACCURATE ? SHORT_STEP : status;
    }
    if (N_WITNESSES) theta = locate(m);
    if (theta > 1.0) to_point(m, 1.0);
    plan(m, error);
    int changed = complete(m, m->k + STAGES * N_SLOPE);
    copy(m->k + STAGES * N_SLOPE, m->now.slope, N_SLOPE);
    if (changed || theta <= 1.0) m->now.fresh = 0;
    return theta <= 1.0 ? at_event(m) : GOOD;
}

/* go on to the target */
static int advance(Memory *m, double target) {
    int status = GOOD;
    while (status == GOOD && m->now.in[0] < target && !m->now.ended) {
        if (!m->now.fresh) status = begin(m, target);
        if (status != GOOD || m->now.ended) break;
        status = step(m, smaller(target, m->now.instant));
        if (status == GOOD && m->now.in[0] >= m->now.instant) {
            m->now.fresh = 0;
            status = agree(m, 0);
        }
    }
    return status;
}

/* --- memory: there is no C library to ask for it --- */

static Memory pool[N_INSTANCES];

static Memory *new_memory(void) {
    for (int k = 0; k < N_INSTANCES; k++)
        if (!pool[k].used) {
            Memory *m = &pool[k];
            m->used = 1;
            m->number = k;
            return m;
        }
    return 0;
}

/* the values a run starts with */
static void reset(Memory *m) {
    for (int i = 0; i < N_ALL; i++) m->now.in[i] = i < N_IN ? start_value[i] : 0.0;
    m->now.accuracy = of_steps(ACCURACY);
    m->now.h = m->now.crowd_began = 0.0;
    m->now.instant = NEVER;
    m->now.error_before = REMEMBERED;
    m->now.crowd = m->now.restart = m->now.rejected = m->now.fresh = m->now.changed = m->now.jumped = 0;
    m->now.ended = m->now.phase = 0;
    for (int k = 0; k <= N_WHENS; k++) m->now.before[k] = 0;
    touch(m);
}
