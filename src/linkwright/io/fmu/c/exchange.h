/* What both versions of the interface have in common: values by reference, derivatives, instants, saved states. */

/* dependent coordinates and prescribed values follow the states that were set */
static int settle(Memory *m) {
    if (m->known_slope || m->known_outputs || m->known_witnesses) return GOOD;
    if (CLOSED) return to_manifold(m);
    prescribe(m);
    return GOOD;
}

static int get_value(Memory *m, int reference, double *value) {
    int status = GOOD, place;
    if (reference < 0 || reference >= N_VARIABLES) return NOT_FINITE;
    place = variable_place[reference];
    if (variable_kind[reference] == 0) {
        if (CLOSED && place >= 1 && place <= N_X) status = settle(m);
        *value = m->now.in[place];
    } else if (variable_kind[reference] == 1) {
        if (!m->known_slope) {
            status = settle(m);
            if (status == GOOD) status = evaluate(m, m->k);
            m->known_slope = status == GOOD;
        }
        *value = m->k[place];
    } else if (variable_kind[reference] == 2) {
        if (!m->known_outputs) {
            status = settle(m);
            if (status == GOOD) model_outputs(m->now.in, m->outputs, m->work);
            m->known_outputs = status == GOOD;
        }
        *value = m->outputs[place];
    } else {
        if (!m->known_witnesses) {
            status = settle(m);
            if (status == GOOD) model_events(m->now.in, m->trial, m->work);
            m->known_witnesses = status == GOOD;
        }
        *value = m->trial[place];
    }
    return status;
}

static int set_value(Memory *m, int reference, double value) {
    if (reference < 1 || reference >= N_VARIABLES || variable_kind[reference] != 0) return NOT_FINITE;
    if (!(value - value == 0.0)) return NOT_FINITE;
    if (m->now.in[variable_place[reference]] != value) {
        m->now.in[variable_place[reference]] = value;
        m->now.changed = 1;
        m->now.fresh = 0;
        touch(m);
    }
    return GOOD;
}

/* derivatives of unknowns along changes of variables that can be set */
static int directional(Memory *m, const int *unknown, size_t n_unknown, const int *known, size_t n_known,
                       const double *seed, double *sensitivity) {
    int status = settle(m);
    if (status != GOOD) return status;
    for (int i = 0; i < N_IN; i++) m->now.in[N_IN + i] = 0.0;
    for (size_t i = 0; i < n_known; i++) {
        if (known[i] < 0 || known[i] >= N_VARIABLES || variable_kind[known[i]] != 0) return NOT_FINITE;
        m->now.in[N_IN + variable_place[known[i]]] += seed[i];
    }
    model_tangent(m->now.in, m->out, m->work);
    for (size_t i = 0; i < n_unknown; i++) {
        if (unknown[i] < 0 || unknown[i] >= N_VARIABLES) return NOT_FINITE;
        int kind = variable_kind[unknown[i]], place = variable_place[unknown[i]];
        if (kind == 3) return NOT_FINITE;
        sensitivity[i] = kind == 0 ? m->now.in[N_IN + place] : m->out[kind == 1 ? place : N_X + place];
    }
    return GOOD;
}

/* --- what both versions of the interface do --- */

/* states, and their derivatives, as a tool integrates them */
static int get_derivatives(Memory *m, double *derivatives) {
    double value;
    int status = GOOD;
    for (int k = 0; k < N_STATES && status == GOOD; k++) {
        status = get_value(m, FIRST_DERIVATIVE + k, &value);
        derivatives[k] = value;
    }
    return status;
}

static int get_indicators(Memory *m, double *indicators) {
    int status = GOOD;
    for (int k = 0; k < N_WITNESSES && status == GOOD; k++) status = get_value(m, FIRST_INDICATOR + k, &indicators[k]);
    return status;
}

static void set_states(Memory *m, const double *x) {
    for (int k = 0; k < N_STATES; k++) m->now.in[state_slot[k]] = x[k];
    touch(m);
}

static void set_time(Memory *m, double t) {
    m->now.in[0] = t;
    touch(m);
}

/* how far the state is from the manifold: gaps, rates, quaternions */
static double drift(Memory *m) {
    double worst = 0.0;
    if (HAS_PROJECT && !CLOSED) {
        model_project(m->now.in, m->out, m->work);
        worst = larger(m->out[N_X], m->out[N_X + 1]);
    }
    for (int k = 0; k < N_QUATERNIONS; k++) {
        double *Q = m->now.in + 1 + quaternion_place[k];
        worst = larger(worst, fabs(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3] - 1.0));
    }
    return worst;
}

/* an instant: the state back on the manifold where a tool has left it, relations and actions; whether it was changed */
static int at_instant(Memory *m, int *moved) {
    int status = settle(m);
    *moved = 0;
    m->now.jumped = 0;
    if (status == GOOD && drift(m) > m->now.accuracy / 10.0) {
        status = to_manifold(m);
        *moved = 1;
    }
    if (status == GOOD) status = agree(m, 0);
    if (m->now.jumped) *moved = 1;
    m->now.instant = next_instant(m);
    touch(m);
    return status;
}

/* a step of a tool is completed; whether the state has drifted off so far that it asks for an instant */
static int step_completed(Memory *m, int *drifted) {
    int status = settle(m);
    if (status == GOOD) status = evaluate(m, m->k);
    if (status == GOOD) complete(m, m->k);
    if (N_WHENS) {  /* what is no longer true may become so again */
        look(m);
        for (int k = 0; k < N_WHENS; k++)
            if (!truth(m, k)) m->now.before[k] = 0;
    }
    *drifted = drift(m) > m->now.accuracy / 10.0;
    touch(m);
    return status;
}

/* --- saved states --- */

static Kept saved[N_SAVED];
static int saved_used[N_SAVED];

static void copy_bytes(const char *from, char *to, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

static Kept *new_saved(void) {
    for (int k = 0; k < N_SAVED; k++)
        if (!saved_used[k]) {
            saved_used[k] = 1;
            return &saved[k];
        }
    return 0;
}

static void free_saved(Kept *kept) {
    for (int k = 0; k < N_SAVED; k++)
        if (kept == &saved[k]) saved_used[k] = 0;
}

static int same_text(const char *a, const char *b) {
    if (!a || !b) return 0;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}
