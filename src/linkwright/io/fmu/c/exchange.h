/* What both versions of the interface call: values by reference, derivatives, instants, saved states. */

#define OK 0
#define DISCARD 2
#define ERROR 3

/* dependent coordinates and prescribed values follow the states that were set */
static int settle(Memory *m) {
    int status = m->now.unsettled ? lane_settle(m->now.lane) : GOOD;
    m->now.unsettled = 0;
    return status;
}

static int get_value(Memory *m, int reference, double *value) {
    int status, kind, place;
    if (reference < 0 || reference >= N_VARIABLES) return WRONG;
    kind = variable_kind[reference];
    place = variable_place[reference];
    status = settle(m);
    if (kind == 1 && !m->known_slope && status == GOOD) {
        status = lane_slopes(m->now.lane);
        m->known_slope = status == GOOD;
    } else if (kind == 2 && !m->known_outputs && status == GOOD) {
        model_outputs(m->now.lane + AT_IN, m->outputs, m->now.lane + AT_WORK);
        m->known_outputs = 1;
    } else if (kind == 3 && !m->known_witnesses && status == GOOD) {
        lane_indicators(m->now.lane);
        m->known_witnesses = 1;
    }
    if (kind == 0) *value = m->now.lane[AT_IN + place];
    else if (kind == 1) *value = m->now.lane[AT_SLOPES + place];
    else if (kind == 2) *value = m->outputs[place];
    else *value = m->now.lane[AT_INDICATORS + place];
    return status;
}

static int set_value(Memory *m, int reference, double value) {
    if (reference < 1 || reference >= N_VARIABLES || variable_kind[reference] != 0) return WRONG;
    if (!(value - value == 0.0)) return WRONG;
    set_slot(m, variable_place[reference], value);
    return GOOD;
}

/* derivatives of unknowns along changes of variables that can be set */
static int directional(Memory *m, const int *unknown, size_t n_unknown, const int *known, size_t n_known,
                       const double *seed, double *sensitivity) {
    int status = settle(m);
    if (status != GOOD) return status;
    for (int i = 0; i < N_IN; i++) {
        m->seeded[i] = m->now.lane[AT_IN + i];
        m->seeded[N_IN + i] = 0.0;
    }
    for (size_t i = 0; i < n_known; i++) {
        if (known[i] < 0 || known[i] >= N_VARIABLES || variable_kind[known[i]] != 0) return WRONG;
        m->seeded[N_IN + variable_place[known[i]]] = seed[i];
    }
    model_tangent(m->seeded, m->change, m->now.lane + AT_WORK);
    for (size_t i = 0; i < n_unknown; i++) {
        if (unknown[i] < 0 || unknown[i] >= N_VARIABLES) return WRONG;
        int kind = variable_kind[unknown[i]], place = variable_place[unknown[i]];
        if (kind == 3) return WRONG;
        sensitivity[i] = kind == 0 ? m->seeded[N_IN + place] : m->change[kind == 1 ? place : N_X + place];
    }
    return GOOD;
}

/* --- what both versions of the interface do --- */

static void setup(Memory *m, int tolerance_defined, double tolerance, double start_time, int stop_defined, double stop) {
    if (tolerance_defined && tolerance > 0.0) lane_accuracy(m->now.lane, tolerance);
    if (stop_defined) lane_until(m->now.lane, stop);
    if (start_time != m->now.lane[AT_IN]) m->now.given = 1;
    m->now.lane[AT_IN] = start_time;
    touch(m);
}

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
    for (int k = 0; k < N_STATES; k++) m->now.lane[AT_IN + state_slot[k]] = x[k];
    m->now.unsettled = 1;
    touch(m);
}

static void get_states(Memory *m, double *x) {
    for (int k = 0; k < N_STATES; k++) x[k] = m->now.lane[AT_IN + state_slot[k]];
}

static void set_time(Memory *m, double t) {
    m->now.lane[AT_IN] = t;
    m->now.unsettled = 1;
    touch(m);
}

/* an instant: relations and actions; whether the state was changed, and the next instant that is known */
static int at_instant(Memory *m, int *moved, double *next) {
    int status = settle(m);
    if (status == GOOD) status = lane_instant(m->now.lane);
    *moved = lane_moved(m->now.lane) != 0;
    *next = AT_INSTANT >= 0 ? m->now.lane[AT_INSTANT] : NEVER;
    m->now.given = 0;
    touch(m);
    return status;
}

/* a step of a tool is completed; whether the state has drifted off so far that it asks for an instant, or has passed one */
static int step_completed(Memory *m, int *drifted) {
    int status = settle(m);
    if (status == GOOD) status = lane_completed(m->now.lane);
    *drifted = lane_drifted(m->now.lane) != 0 || lane_missed(m->now.lane) != 0;
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
