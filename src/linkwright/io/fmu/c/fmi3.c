/* The interface of FMI 3.0 (https://fmi-standard.org), model exchange and co-simulation. */
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "memory.h"
#include "exchange.h"

typedef unsigned char fmi3Boolean;
typedef void *fmi3Instance;
typedef void (*logger)(void *environment, int status, const char *category, const char *message);

static logger loggers[N_INSTANCES];

static int refused(fmi3Instance instance, const char *what) {
    Memory *m = instance;
    if (m && loggers[m->number]) loggers[m->number](m->environment, ERROR, "logStatusError", what);
    return ERROR;
}

#include "interface.c"

static fmi3Instance instantiate(const char *token, int co_simulation, void *environment, logger log) {
    if (!same_text(token, TOKEN)) {
        if (log) log(environment, ERROR, "logStatusError", "the instantiation token is not that of this FMU");
        return 0;
    }
    Memory *m = new_memory();
    if (!m) {
        if (log) log(environment, ERROR, "logStatusError", "there is no room for more instances in this process");
        return 0;
    }
    m->environment = environment;
    m->co_simulation = co_simulation;
    loggers[m->number] = log;
    reset(m);
    return m;
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Instance fmi3InstantiateModelExchange(const char *name, const char *token, const char *path,
        fmi3Boolean visible, fmi3Boolean logging, void *environment, logger log) {
    (void)name; (void)path; (void)visible; (void)logging;
    return instantiate(token, 0, environment, log);
}

EXPORT fmi3Instance fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path,
        fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const int *required, size_t n,
        void *environment, logger log, void *update) {
    (void)name; (void)path; (void)visible; (void)logging; (void)events; (void)early; (void)required; (void)n;
    (void)update;
    return instantiate(token, 1, environment, log);
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *path,
        fmi3Boolean visible, fmi3Boolean logging, void *environment, logger log, void *update, void *lock,
        void *unlock) {
    (void)name; (void)token; (void)path; (void)visible; (void)logging; (void)update; (void)lock; (void)unlock;
    if (log) log(environment, ERROR, "logStatusError", "scheduled execution is not supported");
    return 0;
}

EXPORT int fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, double tolerance,
        double start_time, fmi3Boolean stop_defined, double stop) {
    Memory *m = instance;
    setup(m, tolerance_defined, tolerance, start_time, stop_defined, stop);
    m->now.phase = 1;
    return OK;
}

/* --- values --- */

EXPORT int fmi3GetFloat64(fmi3Instance instance, const int *references, size_t n, double *values, size_t n_values) {
    Memory *m = instance;
    if (n != n_values) return refused(m, "there is one value for each reference");
    return get_values(m, references, n, values);
}

EXPORT int fmi3SetFloat64(fmi3Instance instance, const int *references, size_t n, const double *values,
        size_t n_values) {
    Memory *m = instance;
    if (n != n_values) return refused(m, "there is one value for each reference");
    return set_values(m, references, n, values);
}

EXPORT int fmi3GetDirectionalDerivative(fmi3Instance instance, const int *unknowns, size_t n_unknowns,
        const int *knowns, size_t n_knowns, const double *seed, size_t n_seed, double *sensitivity,
        size_t n_sensitivity) {
    Memory *m = instance;
    if (n_knowns != n_seed || n_unknowns != n_sensitivity) return refused(m, "the sizes do not fit");
    return get_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

/* --- instants and sizes --- */

EXPORT int fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
        fmi3Boolean *nominals_changed, fmi3Boolean *values_changed, fmi3Boolean *instant_defined, double *instant) {
    Memory *m = instance;
    double next = NEVER;
    int moved = 0, status = at_instant(m, &moved, &next);
    *again = *nominals_changed = 0;
    *terminate = lane_ended(m->now.lane) != 0;
    *values_changed = moved;
    *instant_defined = next < NEVER;
    *instant = next;
    return said(m, status);
}

EXPORT int fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n) {
    (void)instance;
    *n = N_WITNESSES;
    return OK;
}

EXPORT int fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n) {
    (void)instance;
    *n = N_STATES;
    return OK;
}

/* --- co-simulation --- */

EXPORT int fmi3EnterStepMode(fmi3Instance instance) {
    Memory *m = instance;
    m->now.phase = 4;
    return OK;
}

EXPORT int fmi3DoStep(fmi3Instance instance, double from, double length, fmi3Boolean no_return, fmi3Boolean *events,
        fmi3Boolean *terminate, fmi3Boolean *early, double *reached) {
    Memory *m = instance;
    int status = advance(m, from + length);
    *events = 0;
    *terminate = lane_ended(m->now.lane) != 0;
    *early = m->now.lane[AT_TIME] < from + length;
    *reached = m->now.lane[AT_TIME];
    (void)no_return;
    return said(m, status);
}

/* --- what the standard names and this FMU has nothing of --- */

#define NO_SUCH "this FMU has no variables of this kind"
#define NO_DEPENDENCIES "dependencies do not change: see the model description"
#define NO_CLOCKS "this FMU has no clocks"

EXPORT int fmi3GetFloat32(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) {
    (void)r; (void)v; (void)nv;
    return n ? refused(i, NO_SUCH) : OK;
}
EXPORT int fmi3GetInt8(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetUInt8(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetInt16(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetUInt16(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetInt32(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetUInt32(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetInt64(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetUInt64(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetBoolean(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetString(fmi3Instance i, const int *r, size_t n, void *v, size_t nv) { return fmi3GetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetFloat32(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) {
    (void)r; (void)v; (void)nv;
    return n ? refused(i, NO_SUCH) : OK;
}
EXPORT int fmi3SetInt8(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetUInt8(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetInt16(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetUInt16(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetInt32(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetUInt32(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetInt64(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetUInt64(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetBoolean(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3SetString(fmi3Instance i, const int *r, size_t n, const void *v, size_t nv) { return fmi3SetFloat32(i, r, n, v, nv); }
EXPORT int fmi3GetBinary(fmi3Instance i, const int *r, size_t n, size_t *sizes, void *v, size_t nv) {
    (void)sizes;
    return fmi3GetFloat32(i, r, n, v, nv);
}
EXPORT int fmi3SetBinary(fmi3Instance i, const int *r, size_t n, const size_t *sizes, const void *v, size_t nv) {
    (void)sizes;
    return fmi3SetFloat32(i, r, n, v, nv);
}
EXPORT int fmi3GetClock(fmi3Instance i, const int *r, size_t n, void *v) { return fmi3GetFloat32(i, r, n, v, n); }
EXPORT int fmi3SetClock(fmi3Instance i, const int *r, size_t n, const void *v) { return fmi3SetFloat32(i, r, n, v, n); }
EXPORT int fmi3GetNumberOfVariableDependencies(fmi3Instance i, int r, size_t *n) {
    (void)r;
    *n = 0;
    return refused(i, NO_DEPENDENCIES);
}
EXPORT int fmi3GetVariableDependencies(fmi3Instance i, int r, void *a, void *b, void *c, void *d, size_t n) {
    (void)r; (void)a; (void)b; (void)c; (void)d; (void)n;
    return refused(i, NO_DEPENDENCIES);
}
EXPORT int fmi3GetAdjointDerivative(fmi3Instance i, const int *u, size_t nu, const int *k, size_t nk, const double *seed,
        size_t ns, double *s, size_t n) {
    (void)u; (void)nu; (void)k; (void)nk; (void)seed; (void)ns; (void)s; (void)n;
    return refused(i, "this FMU gives directional derivatives, not adjoint ones");
}
EXPORT int fmi3EnterConfigurationMode(fmi3Instance i) { return refused(i, "this FMU has no structural parameters"); }
EXPORT int fmi3ExitConfigurationMode(fmi3Instance i) { return refused(i, "this FMU has no structural parameters"); }
EXPORT int fmi3EvaluateDiscreteStates(fmi3Instance i) {
    (void)i;
    return OK;
}
EXPORT int fmi3GetIntervalDecimal(fmi3Instance i, const int *r, size_t n, void *a, void *b) {
    (void)r; (void)n; (void)a; (void)b;
    return refused(i, NO_CLOCKS);
}
EXPORT int fmi3GetIntervalFraction(fmi3Instance i, const int *r, size_t n, void *a, void *b, void *c) {
    (void)c;
    return fmi3GetIntervalDecimal(i, r, n, a, b);
}
EXPORT int fmi3GetShiftDecimal(fmi3Instance i, const int *r, size_t n, void *a) { return fmi3GetIntervalDecimal(i, r, n, a, a); }
EXPORT int fmi3GetShiftFraction(fmi3Instance i, const int *r, size_t n, void *a, void *b) { return fmi3GetIntervalDecimal(i, r, n, a, b); }
EXPORT int fmi3SetIntervalDecimal(fmi3Instance i, const int *r, size_t n, void *a) { return fmi3GetIntervalDecimal(i, r, n, a, a); }
EXPORT int fmi3SetIntervalFraction(fmi3Instance i, const int *r, size_t n, void *a, void *b) { return fmi3GetIntervalDecimal(i, r, n, a, b); }
EXPORT int fmi3SetShiftDecimal(fmi3Instance i, const int *r, size_t n, void *a) { return fmi3GetIntervalDecimal(i, r, n, a, a); }
EXPORT int fmi3SetShiftFraction(fmi3Instance i, const int *r, size_t n, void *a, void *b) { return fmi3GetIntervalDecimal(i, r, n, a, b); }
EXPORT int fmi3GetOutputDerivatives(fmi3Instance i, const int *r, size_t n, const int *orders, double *v, size_t nv) {
    (void)r; (void)n; (void)orders; (void)v; (void)nv;
    return refused(i, "this FMU gives no derivatives of its outputs");
}
EXPORT int fmi3ActivateModelPartition(fmi3Instance i, int clock, double t) {
    (void)clock; (void)t;
    return refused(i, "scheduled execution is not supported");
}
