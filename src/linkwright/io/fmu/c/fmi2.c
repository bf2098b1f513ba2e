/* The interface of FMI 2.0 (https://fmi-standard.org), model exchange and co-simulation. */
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "memory.h"
#include "exchange.h"

typedef void *fmi2Component;
typedef void (*logger)(void *environment, const char *name, int status, const char *category, const char *message, ...);
typedef struct {
    logger log;
    void *allocate;
    void *release;
    void *finished;
    void *environment;
} Callbacks;
typedef struct {
    int again, terminate, nominals_changed, values_changed, instant_defined;
    double instant;
} EventInfo;

static logger loggers[N_INSTANCES];

static int refused(fmi2Component component, const char *what) {
    Memory *m = component;
    if (m && loggers[m->number]) loggers[m->number](m->environment, MODEL_NAME, ERROR, "logStatusError", what);
    return ERROR;
}

#include "interface.c"

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Component fmi2Instantiate(const char *name, int type, const char *guid, const char *path,
        const Callbacks *callbacks, int visible, int logging) {
    Memory *m = 0;
    const char *trouble = "there is no room for more instances in this process";
    (void)path; (void)visible; (void)logging;
    if (!same_text(guid, TOKEN)) trouble = "the GUID is not that of this FMU";
    else m = new_memory();
    if (!m) {
        if (callbacks && callbacks->log)
            callbacks->log(callbacks->environment, name, ERROR, "logStatusError", trouble);
        return 0;
    }
    m->environment = callbacks ? callbacks->environment : 0;
    loggers[m->number] = callbacks ? callbacks->log : 0;
    m->co_simulation = type == 1;
    reset(m);
    return m;
}

EXPORT int fmi2SetupExperiment(fmi2Component component, int tolerance_defined, double tolerance, double start_time,
        int stop_defined, double stop) {
    Memory *m = component;
    setup(m, tolerance_defined, tolerance, start_time, stop_defined, stop);
    return OK;
}

EXPORT int fmi2EnterInitializationMode(fmi2Component component) {
    Memory *m = component;
    m->now.phase = 1;
    return OK;
}

/* --- values --- */

EXPORT int fmi2GetReal(fmi2Component component, const int *references, size_t n, double *values) {
    return get_values(component, references, n, values);
}

EXPORT int fmi2SetReal(fmi2Component component, const int *references, size_t n, const double *values) {
    return set_values(component, references, n, values);
}

#define NO_SUCH "this FMU has no variables of this kind"

EXPORT int fmi2GetInteger(fmi2Component c, const int *r, size_t n, int *v) {
    (void)r; (void)v;
    return n ? refused(c, NO_SUCH) : OK;
}
EXPORT int fmi2GetBoolean(fmi2Component c, const int *r, size_t n, int *v) { return fmi2GetInteger(c, r, n, v); }
EXPORT int fmi2GetString(fmi2Component c, const int *r, size_t n, const char **v) {
    (void)r; (void)v;
    return n ? refused(c, NO_SUCH) : OK;
}
EXPORT int fmi2SetInteger(fmi2Component c, const int *r, size_t n, const int *v) {
    (void)r; (void)v;
    return n ? refused(c, NO_SUCH) : OK;
}
EXPORT int fmi2SetBoolean(fmi2Component c, const int *r, size_t n, const int *v) { return fmi2SetInteger(c, r, n, v); }
EXPORT int fmi2SetString(fmi2Component c, const int *r, size_t n, const char **v) {
    (void)r; (void)v;
    return n ? refused(c, NO_SUCH) : OK;
}

EXPORT int fmi2GetDirectionalDerivative(fmi2Component component, const int *unknowns, size_t n_unknowns,
        const int *knowns, size_t n_knowns, const double *seed, double *sensitivity) {
    return get_derivative(component, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

/* --- instants --- */

EXPORT int fmi2NewDiscreteStates(fmi2Component component, EventInfo *info) {
    Memory *m = component;
    double next = NEVER;
    int moved = 0, status = at_instant(m, &moved, &next);
    info->again = info->nominals_changed = 0;
    info->terminate = lane_ended(m->now.lane) != 0;
    info->values_changed = moved;
    info->instant_defined = next < NEVER;
    info->instant = next;
    return said(m, status);
}

/* --- co-simulation --- */

EXPORT int fmi2DoStep(fmi2Component component, double from, double length, int no_return) {
    Memory *m = component;
    int status = advance(m, from + length);
    (void)no_return;
    if (status != GOOD) return said(m, status);
    return lane_ended(m->now.lane) ? DISCARD : OK;
}

EXPORT int fmi2CancelStep(fmi2Component component) { return refused(component, "steps end before they return"); }

EXPORT int fmi2SetRealInputDerivatives(fmi2Component c, const int *r, size_t n, const int *orders, const double *v) {
    (void)r; (void)n; (void)orders; (void)v;
    return refused(c, "inputs are held during a step");
}

EXPORT int fmi2GetRealOutputDerivatives(fmi2Component c, const int *r, size_t n, const int *orders, double *v) {
    (void)r; (void)n; (void)orders; (void)v;
    return refused(c, "this FMU gives no derivatives of its outputs");
}

EXPORT int fmi2GetStatus(fmi2Component component, int kind, int *value) {
    (void)component; (void)kind;
    *value = OK;
    return OK;
}

EXPORT int fmi2GetRealStatus(fmi2Component component, int kind, double *value) {
    Memory *m = component;
    *value = m->now.lane[AT_TIME];
    (void)kind;
    return OK;
}

EXPORT int fmi2GetIntegerStatus(fmi2Component component, int kind, int *value) {
    (void)component; (void)kind;
    *value = 0;
    return DISCARD;
}

EXPORT int fmi2GetBooleanStatus(fmi2Component component, int kind, int *value) {
    Memory *m = component;
    *value = kind == 3 && lane_ended(m->now.lane) != 0;
    return OK;
}

EXPORT int fmi2GetStringStatus(fmi2Component component, int kind, const char **value) {
    (void)component; (void)kind;
    *value = "";
    return DISCARD;
}
