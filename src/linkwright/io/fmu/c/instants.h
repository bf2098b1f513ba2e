/* Instants: comparisons switch, actions set new values, until all agree. */

/* relations, conditions and new values at the present state */
static void look(Memory *m) {
    if (N_EVENTS) model_situation(m->now.in, m->seen, m->work);
}

static int truth(Memory *m, int k) { return m->seen[AT_CONDITIONS + k] != 0.0; }

/* set what the fired actions ask for, all from the same values */
static int set_targets(Memory *m) {
    look(m);
    for (int k = 0; k < N_WHENS; k++) {
        int n = when_first[k + 1] - when_first[k], base = AT_NEWS + 2 * when_first[k];
        for (int j = 0; j < n && m->fired[k]; j++) {
            int i = when_first[k] + j;
            double value = m->now.in[target_slot[i]] + (m->seen[base + n + j] - m->seen[base + j]) / target_slope[i];
            if (!(value - value == 0.0)) return NOT_FINITE;
            for (int other = 0; other < k; other++)
                for (int l = when_first[other]; l < when_first[other + 1] && m->fired[other]; l++)
                    if (target_slot[l] == target_slot[i] && fabs(m->wanted[l] - value) > FITS * fabs(value))
                        return CONTRADICTION;
            m->wanted[i] = value;
        }
    }
    for (int k = 0; k < N_WHENS; k++)
        for (int i = when_first[k]; i < when_first[k + 1] && m->fired[k]; i++) {
            m->now.in[target_slot[i]] = m->wanted[i];
            if (target_slot[i] <= N_X) m->now.jumped = 1;
        }
    return GOOD;
}

/* whether the conditions that fired would still become true a little later */
static int goes_on(Memory *m) {
    int falls = 0;
    double x[N_X + 1], t = m->now.in[0];
    copy(m->now.in + 1, x, N_X);
    model_events(m->now.in, m->high, m->work);
    for (int step = 0; step < 2; step++) {
        model_rhs(m->now.in, m->out, m->work);
        for (int i = 0; i < N_X; i++) m->now.in[1 + i] += TURN * m->out[i];
    }
    model_events(m->now.in, m->trial, m->work);
    for (int i = 0; i < N_WITNESSES; i++)
        if (watch_when[i] && m->fired[watch_number[i]] && m->trial[i] < m->high[i]) falls = 1;
    m->now.in[0] = t;
    copy(x, m->now.in + 1, N_X);
    return falls;
}

/* act where conditions have become true; what turns the motion back keeps the state on the side it came from */
static int act(Memory *m, int may_step_back) {
    int resets = 0;
    for (int k = 0; k < N_WHENS; k++)
        for (int i = when_first[k]; i < when_first[k + 1] && m->fired[k]; i++)
            if (target_slot[i] <= N_X) resets = 1;
    int back = resets && may_step_back, status;
    if (back) {
        copy(m->now.in + 1, m->held, N_X);
        copy(m->behind, m->now.in + 1, N_X);
    }
    status = set_targets(m);
    if (status == GOOD && back && goes_on(m)) {
        copy(m->held, m->now.in + 1, N_X);
        status = set_targets(m);
    }
    for (int k = 0; k < N_WHENS; k++)
        if (m->fired[k]) {
            m->now.before[k] = 1;
            if (when_ends[k] && !m->now.ended) m->now.ended = k + 1;
        }
    return status;
}

/* relations as they are now, inner ones first; whether one has changed */
static int refresh(Memory *m, int first) {
    int changed = 0;
    for (int round = 0; round <= N_RELATIONS; round++) {
        int again = 0;
        look(m);
        for (int k = 0; k < N_RELATIONS; k++) {
            double value = m->seen[(first ? AT_FRESH : AT_VALUES) + k];
            if (value == value && value != m->now.in[relation_slot[k]]) {
                m->now.in[relation_slot[k]] = value;
                again = 1;
            }
        }
        if (!again) break;
        changed = 1;
    }
    return changed;
}

/* relations and actions brought to agree, round after round; only the actions of the earliest stage act in one */
static int agree(Memory *m, int first) {
    if (!N_EVENTS) return GOOD;
    for (int round = 0; round < ROUNDS; round++) {
        int changed = refresh(m, first), stage = 9, rising = 0;
        look(m);
        for (int k = 0; k < N_WHENS; k++) {
            if (!truth(m, k)) m->now.before[k] = 0;
            if (!first && truth(m, k) && !m->now.before[k] && when_stage[k] < stage) stage = when_stage[k];
        }
        for (int k = 0; k < N_WHENS; k++) {
            m->fired[k] = !first && truth(m, k) && !m->now.before[k] && when_stage[k] == stage;
            if (m->fired[k]) rising = 1;
        }
        if (rising) {
            int status = act(m, 0);
            if (status != GOOD) return status;
        }
        if (!changed && !rising) return GOOD;
    }
    return NO_AGREEMENT;
}

/* where a run begins: conditions that are true have not become so */
static int start(Memory *m) {
    for (int k = 0; k < N_DECISIVE; k++)
        if (m->now.in[decisive_slot[k]] != start_value[decisive_slot[k]]) return DECISIVE + k;
    int status = m->now.changed ? to_manifold(m) : GOOD;
    if (status != GOOD) return status;
    m->now.changed = 0;
    m->now.fresh = 0;
    status = agree(m, 1);
    if (N_EVENTS) {
        look(m);
        for (int k = 0; k < N_WHENS; k++) {
            m->now.before[k] = truth(m, k);
            if (truth(m, k) && when_ends[k] && !m->now.ended) m->now.ended = k + 1;
        }
    }
    return status;
}

/* when a comparison of time changes next */
static double next_instant(Memory *m) {
    if (AT_INSTANT < 0) return NEVER;
    look(m);
    return m->seen[AT_INSTANT];
}

/* the mode of a relation whose witness has fallen through zero */
static void switch_relation(Memory *m, int k) {
    double *d = m->now.in + relation_slot[k], w = m->seen[AT_WITNESSES + k];
    if (relation_kind[k] == 0) {
        *d = 1.0 - *d;
    } else if (relation_kind[k] == 1) {
        *d = *d != 0.0 ? -*d : (w > 0.0 ? 1.0 : w < 0.0 ? -1.0 : 0.0);
    } else {
        *d = w > *d + 0.5 ? *d + 1.0 : *d - 1.0;
    }
}

/* witnesses have crossed: switch, act, agree; by stages, what comes later only if it still holds */
static int at_event(Memory *m) {
    int status = GOOD, first = 1;
    double t = m->now.in[0];
    if (t - m->now.crowd_began > CHATTERING_TIME * larger(1.0, fabs(t))) {
        m->now.crowd_began = t;
        m->now.crowd = 0;
    }
    if (++m->now.crowd > CHATTERING) return CROWDED;
    for (int stage = 0; stage < 5 && status == GOOD; stage++) {
        int any = 0, rising = 0, pending = 0;
        for (int k = 0; k < N_WHENS; k++) m->fired[k] = 0;
        for (int k = 0; k < N_RELATIONS; k++) m->switched[k] = 0;
        look(m);
        for (int i = 0; i < N_WITNESSES; i++) {
            if (!m->crossed[i] || watch_stage[i] != stage) {
                if (m->crossed[i] && watch_stage[i] > stage) pending = 1;
                continue;
            }
            any = 1;
            if (watch_when[i]) {
                m->fired[watch_number[i]] = rising = 1;
            } else if (!m->switched[watch_number[i]]) {
                switch_relation(m, watch_number[i]);
                m->switched[watch_number[i]] = 1;
            }
        }
        if (rising) status = act(m, first);
        if (any) first = 0;
        if (any && pending && status == GOOD) {
            status = agree(m, 0);
            model_events(m->now.in, m->trial, m->work);
            for (int i = 0; i < N_WITNESSES; i++)
                if (m->trial[i] > 0.0) m->crossed[i] = 0;
        }
    }
    return status == GOOD ? agree(m, 0) : status;
}
