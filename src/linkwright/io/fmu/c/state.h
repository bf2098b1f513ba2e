/* A model at an instant: its memory, its slope, its constraints.  The sizes and tables are in model.h.
 *
 * The input vector of all programs is in = (t | q u z | d p f y): time; coordinates, speeds and auxiliary states, which
 * together are the continuous state x; discrete variables and inputs; parameters; forces, which are zero; guesses of
 * unknowns.
 */
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
#define DECISIVE 100 /* and more: a number was changed that decides the start */

/* thresholds are defined before this text, with the numbers of Linkwright's own steppers */

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
    if (status >= DECISIVE) return decisive_reason(status - DECISIVE);
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

/* the error that one step may make, of what is asked for: a tenth where bodies touch */
static double of_steps(double accuracy) {
    if (!TOUCHES || accuracy <= FINEST || accuracy >= 1.0) return accuracy;
    return larger(accuracy / 10.0, FINEST);
}

static void copy(const double *from, double *to, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

/* --- the state --- */

/* the slope at the state in the input vector */
static int evaluate(Memory *m, double *k) {
    double check = 0.0;
    model_rhs(m->now.in, k, m->work);
    if (HAS_HEALTH && !(k[N_X] >= 0.0 && k[N_X] < HUGE_NUMBER)) return SINGULAR;
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
    double *x = m->now.in + 1, tolerance = larger(m->now.accuracy / 10.0, CONSTRAINT_ROUNDING);
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

/* nothing has been computed of the present state */
static void touch(Memory *m) { m->known_slope = m->known_outputs = m->known_witnesses = 0; }
