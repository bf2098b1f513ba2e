/* What is one in both versions of the interface, in the names of FMI 3.0. */

static int said(Memory *m, int status) { return status == GOOD ? OK : refused(m, reason(status)); }

static int get_values(Memory *m, const int *references, size_t n, double *values) {
    for (size_t i = 0; i < n; i++) {
        int status = get_value(m, references[i], &values[i]);
        if (status != GOOD) return said(m, status);
    }
    return OK;
}

static int set_values(Memory *m, const int *references, size_t n, const double *values) {
    for (size_t i = 0; i < n; i++)
        if (set_value(m, references[i], values[i]) != GOOD)
            return refused(m, "a variable that cannot be set, or a value that is not finite");
    return OK;
}

static int get_derivative(Memory *m, const int *unknowns, size_t n_unknowns, const int *knowns, size_t n_knowns,
        const double *seed, double *sensitivity) {
    if (directional(m, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity) != GOOD)
        return refused(m, "a derivative of, or along, a variable that has none");
    return OK;
}

EXPORT int fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n, const char **categories) {
    Memory *m = instance;
    m->logs = on;
    (void)n; (void)categories;
    return OK;
}

EXPORT void fmi3FreeInstance(fmi3Instance instance) {
    Memory *m = instance;
    if (m) m->used = 0;
}

EXPORT int fmi3ExitInitializationMode(fmi3Instance instance) {
    Memory *m = instance;
    m->now.phase = 2;
    return said(m, start(m));
}

EXPORT int fmi3EnterEventMode(fmi3Instance instance) {
    Memory *m = instance;
    m->now.phase = 2;
    return OK;
}

EXPORT int fmi3Terminate(fmi3Instance instance) {
    Memory *m = instance;
    m->now.phase = 5;
    return OK;
}

EXPORT int fmi3Reset(fmi3Instance instance) {
    reset(instance);
    return OK;
}

/* --- states of the FMU --- */

EXPORT int fmi3GetFMUState(fmi3Instance instance, void **state) {
    Memory *m = instance;
    Kept *kept = *state ? *state : new_saved();
    if (!kept) return refused(m, "there is no room for more saved states");
    copy_bytes((const char *)&m->now, (char *)kept, sizeof(Kept));
    *state = kept;
    return OK;
}

EXPORT int fmi3SetFMUState(fmi3Instance instance, void *state) {
    Memory *m = instance;
    if (!state) return refused(m, "there is no state");
    copy_bytes(state, (char *)&m->now, sizeof(Kept));
    touch(m);
    return OK;
}

EXPORT int fmi3FreeFMUState(fmi3Instance instance, void **state) {
    (void)instance;
    if (*state) free_saved(*state);
    *state = 0;
    return OK;
}

EXPORT int fmi3SerializedFMUStateSize(fmi3Instance instance, void *state, size_t *size) {
    (void)instance; (void)state;
    *size = sizeof(Kept);
    return OK;
}

EXPORT int fmi3SerializeFMUState(fmi3Instance instance, void *state, char *bytes, size_t size) {
    if (size < sizeof(Kept)) return refused(instance, "there is too little room for the state");
    copy_bytes(state, bytes, sizeof(Kept));
    return OK;
}

EXPORT int fmi3DeserializeFMUState(fmi3Instance instance, const char *bytes, size_t size, void **state) {
    Kept *kept = *state ? *state : new_saved();
    if (!kept || size != sizeof(Kept)) return refused(instance, "this is no state of this FMU");
    copy_bytes(bytes, (char *)kept, sizeof(Kept));
    *state = kept;
    return OK;
}

/* --- model exchange --- */

EXPORT int fmi3EnterContinuousTimeMode(fmi3Instance instance) {
    Memory *m = instance;
    m->now.phase = 3;
    return OK;
}

EXPORT int fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_return, fmi3Boolean *event_mode,
        fmi3Boolean *terminate) {
    Memory *m = instance;
    int drifted = 0, status = step_completed(m, &drifted);
    *event_mode = drifted;
    *terminate = 0;
    (void)no_return;
    return said(m, status);
}

EXPORT int fmi3SetTime(fmi3Instance instance, double t) {
    set_time(instance, t);
    return OK;
}

EXPORT int fmi3SetContinuousStates(fmi3Instance instance, const double *states, size_t n) {
    if (n != N_STATES) return refused(instance, "the number of states is another one");
    set_states(instance, states);
    return OK;
}

EXPORT int fmi3GetContinuousStates(fmi3Instance instance, double *states, size_t n) {
    Memory *m = instance;
    if (n != N_STATES) return refused(m, "the number of states is another one");
    get_states(m, states);
    return OK;
}

EXPORT int fmi3GetContinuousStateDerivatives(fmi3Instance instance, double *derivatives, size_t n) {
    if (n != N_STATES) return refused(instance, "the number of states is another one");
    return said(instance, get_derivatives(instance, derivatives));
}

EXPORT int fmi3GetEventIndicators(fmi3Instance instance, double *indicators, size_t n) {
    if (n != N_WITNESSES) return refused(instance, "the number of event indicators is another one");
    return said(instance, get_indicators(instance, indicators));
}

EXPORT int fmi3GetNominalsOfContinuousStates(fmi3Instance instance, double *nominals, size_t n) {
    (void)instance;
    for (size_t k = 0; k < n; k++) nominals[k] = 1.0;
    return OK;
}
