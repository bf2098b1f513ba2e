/* A model in time: its state, its steps, what happens at instants.  The sizes and tables are in model.h.
 *
 * The input vector of all programs is in = (t | q u z | d p f y): time; coordinates, speeds and auxiliary states, which
 * together are the continuous state x; discrete variables and inputs; parameters; forces, which are zero; guesses of
 * unknowns.
 */
#include <math.h>
#include <stddef.h>

/* what may become of a step */
#define GOOD 0
#define INACCURATE 1
#define SINGULAR 2
#define NOT_FINITE 3
#define OPEN_LOOP 4
#define DEAD_POINT 5
#define SHORT_STEP 6
#define NO_AGREEMENT 7
#define CROWDED 8
#define CONTRADICTION 9

/* step control: Hairer, Norsett, Wanner I, Section II.4, with the error of the step before */
#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 6.0
#define GROW_FIRST 10.0
#define BETA 0.04
#define LEAST_ERROR 1e-4
#define BENT 0.01
/* coordinate projection */
#define MAX_PROJECTIONS 10
#define MISFIT 1e-8
#define REPAIRED 0.01
#define ASTRAY 300.0
#define ROUNDING 1e-13
/* events */
#define SAMPLES 8
#define TIME_RESOLUTION 8.9e-16
#define ROUNDS 50
#define TURN 1e-7
#define CROWD 16
#define CROWD_TIME 1e-8
#define NEVER 1e300

/* all that a saved state holds */
typedef struct {
    double in[N_ALL];            /* the input vector; behind it room for one more vector of its length */
    double accuracy;             /* error of a step that is accepted */
    double h;                    /* the step planned; 0: none */
    double error_before;         /* of the step before, in accuracies */
    double instant;              /* when a comparison of time changes next */
    double crowd_began;          /* when the events began that follow one another at once, and how many there were */
    int crowd;
    int restart, rejected;       /* whether this is the first step, or one was just rejected */
    int fresh;                   /* whether slope and witnesses at the start of the next step are known */
    int changed;                 /* whether somebody has set values since the last step */
    int jumped;                  /* whether an action has changed the state */
    int ended;                   /* 1 + the number of the action that has ended the run */
    int phase;                   /* of the interface */
    int before[N_WHENS + 1];     /* conditions of actions that were true at the last instant */
    double slope[N_SLOPE];       /* at the start of the next step */
    double low[N_WITNESSES + 1]; /* witnesses there */
} Kept;

typedef struct {
    Kept now;
    double out[N_OUT + 1], work[N_WORK + 1], seen[N_SEEN + 1];
    double k[ROWS * N_SLOPE], x0[N_X + 1], x1[N_X + 1], error[2 * N_X + 1], dense[DENSE_ROWS * N_X + 1];
    double behind[N_X + 1], held[N_X + 1];               /* just before an event, and after it */
    double high[N_WITNESSES + 1], trial[N_WITNESSES + 1];
    int crossed[N_WITNESSES + 1], fired[N_WHENS + 1], switched[N_RELATIONS + 1];
    double wanted[N_TARGETS + 1];
    double outputs[N_Y + 1];
    int known_slope, known_outputs, known_witnesses;     /* what has been computed of the present state */
    double t0, t1;
    void *environment;   /* of whoever uses the model, for messages */
    int used, number, logs, co_simulation;
} Memory;

static const char *reason(int status) {
    if (status == SINGULAR) return "the equations are singular";
    if (status == NOT_FINITE) return "a derivative or a new value is not finite";
    if (status == OPEN_LOOP) return "the constraints could not be closed";
    if (status == DEAD_POINT)
        return "a loop comes close to a dead point, where its closed form ends; export with formulation='projection'";
    if (status == SHORT_STEP) return "steps have become too short: a law that jumps, or a motion that runs away";
    if (status == NO_AGREEMENT) return "conditions at an instant do not agree with each other";
    if (status == CROWDED) return "events follow one another without time passing between them";
    if (status == CONTRADICTION) return "two actions set one variable to different values";
    return "something went wrong";
}

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static void copy(const double *from, double *to, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

static void copy_bytes(const char *from, char *to, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

/* --- the state --- */

/* the slope at the state in the input vector */
static int evaluate(Memory *m, double *k) {
    double check = 0.0;
    model_rhs(m->now.in, k, m->work);
    if (HAS_HEALTH && !(k[N_X] >= 0.0 && k[N_X] < 1e300)) return SINGULAR;
    for (int i = 0; i < N_X; i++) check += 0.0 * k[i];
    return check == 0.0 ? GOOD : NOT_FINITE;
}

static void prescribe(Memory *m) {
    if (HAS_PRESCRIBE) {
        model_prescribe(m->now.in, m->out, m->work);
        copy(m->out, m->now.in + 1, N_X);
    }
}

/* unit quaternions */
static void normalise(Memory *m) {
    for (int k = 0; k < N_QUATERNIONS; k++) {
        double *Q = m->now.in + 1 + quaternion_place[k];
        double size = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        if (size > 0.0)
            for (int i = 0; i < 4; i++) Q[i] /= size;
    }
}

/* prescribed values, unit quaternions, closed loops */
static int to_manifold(Memory *m) {
    int first = 0;
    double gap_before = 0.0, rate_before = 0.0, fastest = 1.0;
    double *x = m->now.in + 1, tolerance = larger(m->now.accuracy / 10.0, ROUNDING);
    prescribe(m);
    normalise(m);
    if (!HAS_PROJECT) return GOOD;
    for (int iteration = 0; iteration < MAX_PROJECTIONS; iteration++) {
        double check = 0.0;
        model_project(m->now.in, m->out, m->work);
        for (int i = 0; i < N_X; i++) check += 0.0 * m->out[i];
        if (check != 0.0) return CLOSED ? DEAD_POINT : OPEN_LOOP;
        double gap = m->out[N_X], rate = m->out[N_X + 1];
        int closed = gap <= tolerance || (0.5 * gap_before < gap && gap <= smaller(MISFIT, 2.0 * gap_before));
        if (CLOSED && m->out[N_X + 2] > 0.0) return DEAD_POINT;
        for (int i = first; i < N_X; i++) x[i] = m->out[i];
        int kept = rate <= tolerance;
        if (!kept && 0.5 * rate_before < rate && rate <= 2.0 * rate_before) {
            for (int i = N_Q; i < N_Q + N_U; i++) fastest = larger(fastest, fabs(x[i]));
            kept = rate <= MISFIT * fastest;
        }
        if (closed && kept) {
            normalise(m);
            return GOOD;
        }
        if (closed) first = N_Q;
        gap_before = gap;
        rate_before = rate;
    }
    return OPEN_LOOP;
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

/* what the model itself remembers at a completed step; whether a law may have changed with it */
static int complete(Memory *m, const double *k) {
    int changed = 0;
    for (int i = 0; i < N_GUESSES; i++) m->now.in[N_IN - N_GUESSES + i] = k[N_SLOPE - N_GUESSES + i];
    if (HAS_UPDATE) {
        model_update(m->now.in, m->out, m->work);
        for (int i = 0; i < N_UPDATES; i++) {
            if (m->now.in[update_slot[i]] != m->out[i]) changed = 1;
            m->now.in[update_slot[i]] = m->out[i];
        }
    }
    return changed;
}

/* --- one step of an explicit Runge-Kutta method --- */

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
        *error = 1e30;
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
    double h0 = smaller(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, span), t = m->now.in[0];
    for (int i = 0; i < N_X; i++) x[i] = m->x0[i] + h0 * m->now.slope[i];
    m->now.in[0] = t + h0;
    int status = evaluate(m, k1);
    m->now.in[0] = t;
    copy(m->x0, x, N_X);
    if (status != GOOD) return 1e-3 * h0;
    for (int i = 0; i < N_X; i++) m->error[i] = (k1[i] - m->now.slope[i]) / h0;
    double d2 = norm(m->error, x, x) / m->now.accuracy, most = larger(d1, d2);
    double h1 = most > 1e-15 ? pow(0.01 / most, 1.0 / ERROR_ORDER) : larger(1e-6, 1e-3 * h0);
    double longest = d0 >= 1e-5 && d2 > 1e-15 ? larger(sqrt(BENT * d0 / d2), 1e-3 * h0) : NEVER;
    if (m->now.h > 0.0) return smaller(m->now.h, m->now.jumped ? smaller(100.0 * h0, smaller(h1, longest)) : longest);
    return smaller(100.0 * h0, smaller(h1, longest));
}

/* --- instants --- */

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
                    if (target_slot[l] == target_slot[i] && fabs(m->wanted[l] - value) > 1e-8 * fabs(value))
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
    if (t - m->now.crowd_began > CROWD_TIME * larger(1.0, fabs(t))) {
        m->now.crowd_began = t;
        m->now.crowd = 0;
    }
    if (++m->now.crowd > CROWD) return CROWDED;
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

/* --- the run --- */

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
                    && m->now.low[i] >= 1e-3 * m->high[i])
                    m->now.low[i] = 1e-300;
        found = falls(m, m->now.low, m->high, 1);
        if (!found) {
            low = high;
            copy(m->high, m->now.low, N_WITNESSES);
        }
    }
    if (!found) return 2.0;
    double width = m->t1 - m->t0, scale = TIME_RESOLUTION * larger(fabs(m->t0), fabs(m->t1));
    for (int round = 0; round < 100 && (high - low) * width > scale; round++) {
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
    m->now.error_before = LEAST_ERROR;
    m->now.restart = 1;
    m->now.rejected = 0;
    m->now.fresh = 1;
    return GOOD;
}

/* the step planned next, after one whose error is known */
static void plan(Memory *m, double error) {
    double h = m->t1 - m->t0, factor = m->now.restart ? GROW_FIRST : GROW;
    if (error > 1e-12) {
        double wanted = SAFETY * pow(error, -(1.0 / ERROR_ORDER - 0.75 * BETA)) * pow(m->now.error_before, BETA);
        factor = smaller(factor, larger(SHRINK, wanted));
    }
    m->now.error_before = larger(error, LEAST_ERROR);
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
        if (m->t1 >= target - 0.01 * h) m->t1 = target;
        else if (m->t1 + h > target) m->t1 = m->t0 + 0.5 * (target - m->t0);
        copy(m->now.slope, m->k, N_SLOPE);
        int status = attempt(m, &error);
        if (status == GOOD && N_WITNESSES) status = interpolate(m);
        if (status == GOOD) break;
        h = m->t1 - m->t0;
        double shrink = status == OPEN_LOOP ? 0.5 : 0.25;
        if (status == INACCURATE)
            shrink = error < 1e29 ? larger(SHRINK, smaller(SAFETY, SAFETY * pow(error, -1.0 / ERROR_ORDER))) : 0.5;
        m->now.h = h * shrink;
        m->now.rejected = 1;
        m->now.in[0] = m->t0;
        copy(m->x0, m->now.in + 1, N_X);
        if (m->now.h < 1.8e-15 * larger(fabs(m->t0), 1e-3 * fabs(target - m->t0)))
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

/* --- values by reference --- */

static void touch(Memory *m) { m->known_slope = m->known_outputs = m->known_witnesses = 0; }

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

/* --- memory: there is no C library to ask for it --- */

static Memory pool[N_INSTANCES];
static Kept saved[N_SAVED];
static int saved_used[N_SAVED];

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
    m->now.accuracy = ACCURACY;
    m->now.h = m->now.crowd_began = 0.0;
    m->now.instant = NEVER;
    m->now.error_before = LEAST_ERROR;
    m->now.crowd = m->now.restart = m->now.rejected = m->now.fresh = m->now.changed = m->now.jumped = 0;
    m->now.ended = m->now.phase = 0;
    for (int k = 0; k <= N_WHENS; k++) m->now.before[k] = 0;
    touch(m);
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
