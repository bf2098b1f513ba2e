/* The memory of runs.  All that a run knows is its record, `lane`, of which model.h says where some numbers lie:
 *
 *     in = (t | q u z | d p f y)   time; coordinates, speeds and auxiliary states, which together are the continuous
 *                                  state x; discrete variables and inputs; parameters; forces, which are zero; guesses
 *                                  of unknowns
 *
 * The functions lane_... and model_... are those of the simulation, written in model.c.
 */
#define GOOD 0
#define WRONG 1
#define DECISIVE 100 /* and more: a number was changed that decides the start */

/* all that a saved state holds */
typedef struct {
    double lane[N_LANE];
    int given;      /* whether somebody has set values since the last step */
    int unsettled;  /* whether states were set that others depend on */
    int phase;      /* of the interface */
} Kept;

typedef struct {
    Kept now;
    double outputs[N_Y + 1], change[N_X + N_Y + 1], seeded[2 * N_IN];
    int known_slope, known_outputs, known_witnesses;     /* what has been computed of the present state */
    void *environment;   /* of whoever uses the model, for messages */
    int used, number, logs, co_simulation;
} Memory;

static Memory pool[N_INSTANCES];

/* there is no C library to ask for memory */
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

/* nothing has been computed of the present state */
static void touch(Memory *m) { m->known_slope = m->known_outputs = m->known_witnesses = 0; }

/* the values a run starts with */
static void reset(Memory *m) {
    lane_prepare(m->now.lane, N_LANE);
    m->now.given = m->now.unsettled = m->now.phase = 0;
    touch(m);
}

static void set_slot(Memory *m, int slot, double value) {
    if (m->now.lane[AT_IN + slot] == value) return;
    m->now.lane[AT_IN + slot] = value;
    m->now.given = m->now.unsettled = 1;
    touch(m);
}

/* where a run begins */
static int start(Memory *m) {
    int status = GOOD;
    for (int k = 0; k < N_DECISIVE; k++)
        if (m->now.lane[AT_IN + decisive_slot[k]] != decisive_value[k]) return DECISIVE + k;
    status = lane_start(m->now.lane, m->now.given);
    m->now.given = m->now.unsettled = 0;
    touch(m);
    return status;
}

/* go on to the target */
static int advance(Memory *m, double target) {
    int status = lane_advance(m->now.lane, target, m->now.given);
    m->now.given = m->now.unsettled = 0;
    touch(m);
    return status;
}
