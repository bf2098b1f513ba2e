"""Where in a trial step the first witness crosses zero, on the projected interpolant.

The search of `integrate.root_finding`, lane by lane.  Every lane searches a part of its own step; lanes that have found
a crossing narrow it down together.
"""

from __future__ import annotations

from collections.abc import Callable

from ...codegen import Value, magnitude, square_root, where
from ..enclosures import LAST, PIECES, POINTS
from ..record import OK
from ..root_finding import SLOPES
from ..tolerances import (
    AGAINST,
    CLOSE_ROOTS,
    CLOSER,
    DEEP,
    FLAT,
    LATE,
    MAX_NARROWING,
    NARROWEST,
    NOT_LEFT,
    REFINEMENTS,
    ROOM,
    STRAIGHT,
    TIME_RESOLUTION,
    TINY,
    UNKNOWN,
    UNSURE,
    WIDER,
)
from .output import point_into_input
from .pieces import Pieces
from .step_program import EVENTFUL, RUNNING, StepProgram
from .writer import Index, StepWriter, larger, smaller

NONE = float(PIECES + 1)


def sample(step: StepProgram, w: StepWriter) -> None:
    """The witnesses at the fraction θ of the trial step into `g_now`, in lanes with `sampling` ≠ 0; state in input."""
    p = Pieces(step, w)
    sampling, end = w.load("sampling").differs(0.0), w.load("theta") >= 1.0
    kept = w.load("trial")
    point_into_input(p, sampling & ~end)
    w.store_where(end, w.load("t1"), "input")
    w.each(step.n, lambda i: w.store_where(end, w.load("x1", i), "input", i, 1))
    w.store(kept, "trial")
    w.call("events", "input", "g_now")


def locate(step: StepProgram, w: StepWriter) -> None:
    """Lanes with an accepted trial: `event` is the fraction at which it ends, 2 without; `t_end` and `held` its end.

    Afterwards `crossed` says which witnesses have crossed, `x_before` is the state just before; without an event
    `g_low` are the witnesses at the end.
    """
    looking = w.load("status").equals(float(RUNNING)) & w.load("trial").equals(float(OK))
    search = Search(step, w)
    for name, value in (("event", 2.0), ("low", 0.0), ("high", 1.0), ("left", float(REFINEMENTS)),
                        ("closer", float(CLOSER))):
        w.store(value, name)
    w.store(where(looking, 1.0, 0.0), "searching")
    search.copy("g_low", "g_start")
    w.store(w.load("t1"), "t_end")
    w.each(step.n, lambda i: w.store(w.load("x1", i), "held", i))
    w.while_any(lambda: w.load("searching").differs(0.0), search.look)
    found = w.load("event") <= 1.0
    w.if_any(found, lambda: search.narrow(found))
    search.end_before(found)


class Search:
    """Writes the search into one function."""

    def __init__(self, step: StepProgram, w: StepWriter):
        self.step, self.w = step, w
        self.count = len(step.lane_events.witnesses)
        relations = sum(witness.relation for witness in step.lane_events.witnesses)
        #: witnesses of one sense lie together: (first, count, whether they are right where a run is taken up)
        self.groups = [(0, relations, True), (relations, self.count - relations, False)]

    # --- rows of witnesses ---

    def sampled(self, j: int, i: Index) -> Value:
        return self.w.load("samples", i, j * self.count)

    def copy(self, source: str, target: str, lanes: Value | None = None, row: int = 0, to: int = 0) -> None:
        w = self.w

        def entry(i: Index) -> None:
            value = w.load(source, i, row * self.count)
            if lanes is None:
                w.store(value, target, i, to * self.count)
            else:
                w.store_where(lanes, value, target, i, to * self.count)

        w.each(self.count, entry, 4)

    def any_crossing(self, low: Callable[[Index], Value], high: Callable[[Index], Value]) -> Value:
        """Whether a witness goes from positive to zero or below, which all of them do where they cross."""
        w = self.w
        total = w.reduce(self.count, w.real(0.0), lambda i, total: where(
            (low(i) > 0.0) & (high(i) <= 0.0), 1.0, total), 4)
        return total.differs(0.0)

    def evaluate(self, theta: Value) -> None:
        """Witnesses of lanes that sample into g_now."""
        self.w.store(theta, "theta")
        self.w.call_own("sample")

    # --- one look ---

    def look(self) -> None:
        """Sample the part of the step at which every lane looks; then it knows where to look next, or is done."""
        w = self.w
        searching = w.load("searching")
        w.store(searching, "sampling")
        self.copy("g_low", "samples")
        w.store(NONE, "crossed_in")
        for j in range(1, PIECES + 1):
            low, high = w.load("low"), w.load("high")
            self.evaluate(high if j == PIECES else low + (high - low) * float(POINTS[j]))
            self.copy("g_now", "samples", to=j)
            if j == 1:
                self._right_guards()
            crossing = self.any_crossing(lambda i, j=j: self.sampled(j - 1, i), lambda i, j=j: self.sampled(j, i))
            w.store_where(crossing & w.load("crossed_in").equals(NONE), float(j), "crossed_in")
        low, high = w.load("low"), w.load("high")
        width, crossed = high - low, w.load("crossed_in")
        more = (w.load("left") > 0.0) & (width > NARROWEST)
        doubtful = where(more, self._suspect(smaller(crossed, float(PIECES)), width), NONE)
        going = w.load("searching").differs(0.0)
        found = (crossed < NONE) & (doubtful > crossed)
        piece = where(found, crossed, doubtful)
        w.store(piece, "piece")
        inside, beyond = going & (piece < NONE), going & ~(piece < NONE)
        # a part of it
        ends = [float(point) for point in POINTS]
        next_high, next_low = w.real(0.0), w.real(0.0)
        for j in range(1, PIECES + 1):
            this = piece.equals(float(j))
            next_high = where(this, high if j == PIECES else low + width * ends[j], next_high)
            next_low = where(this, low + width * ends[j - 1], next_low)
        w.if_any(inside, lambda: self._rows_of_piece(inside))
        w.store_where(inside & ~found, w.load("left") - 1.0, "left")
        w.store_where(inside, next_high, "high")
        w.store_where(inside, next_low, "low")
        across = inside & found
        w.if_any(across, lambda: self._across(across))
        # nothing in it: the next part, or the end
        self.copy("samples", "g_low", beyond, PIECES)
        at_end = beyond & (high >= 1.0)
        w.store_where(at_end, 0.0, "searching")
        w.store_where(beyond, high, "low")
        w.store_where(beyond, smaller(w.real(1.0), high + width * WIDER), "high")

    def _rows_of_piece(self, lanes: Value) -> None:
        """Witnesses at the two ends of the piece of every lane."""
        w = self.w

        def entry(i: Index) -> None:
            piece = w.load("piece")
            low, high = self.sampled(0, i), self.sampled(1, i)
            for j in range(2, PIECES + 1):
                this = piece.equals(float(j))
                low, high = where(this, self.sampled(j - 1, i), low), where(this, self.sampled(j, i), high)
            w.store_where(lanes, low, "g_low", i)
            w.store_where(lanes, high, "g_high", i)

        w.each(self.count, entry, 0)

    def _across(self, across: Value) -> None:
        """A crossing: looked at more closely unless it goes straight across."""
        w = self.w
        again = across & (w.load("closer") > 0.0) & ~self._straight()
        w.store_where(again, w.load("closer") - 1.0, "closer")
        done = across & ~again
        w.store_where(done, 0.0, "searching")
        w.store_where(done, 1.0, "event")

    def _right_guards(self) -> None:
        """Guards (see `root_finding`) that are zero to rounding and turn negative count as positive at first."""
        w = self.w
        first, count, _ = self.groups[0]
        begins = w.load("restart").differs(0.0) & w.load("low").equals(0.0)

        def entry(i: Index) -> None:
            a, b = w.load("samples", i, first), w.load("samples", i, self.count + first)
            leaves = (b < a) & (a <= 0.0) & (a >= NOT_LEFT * b)
            w.store_where(begins & leaves, TINY, "samples", i, first)

        if count:
            w.each(count, entry, 2)

    # --- what samples may not show ---

    def _slope(self, values: list[Value], j: int) -> Value:
        """Slope at point j of the polynomial through the samples."""
        total = self.w.real(0.0)
        for k in range(PIECES + 1):
            total = total + float(SLOPES[j, k]) * values[k]
        return total

    def _misfit(self, values: list[Value]) -> Value:
        """The last coefficients of the polynomial: an estimate of its error."""
        last = []
        for row in range(3):
            total = self.w.real(0.0)
            for j in range(PIECES + 1):
                total = total + float(LAST[row, j]) * values[j]
            last.append(magnitude(total))
        return last[0] + last[1] + last[2]

    def _suspect(self, pieces: Value, whole: Value) -> Value:
        """The first of the pieces in which a witness may have roots that its samples do not show, or none."""
        w = self.w
        first = w.real(NONE)
        for begin, count, guards in self.groups:
            if count:
                first = w.reduce(count, first, lambda i, first, begin=begin, guards=guards: self._suspicion(
                    i, begin, guards, first, pieces, whole), 0)
        return first

    def _suspicion(self, i: Index, begin: int, guards: bool, first: Value, pieces: Value, whole: Value) -> Value:
        """The earlier of `first` and the first piece in which this witness may have hidden roots."""
        w = self.w
        values = [w.load("samples", i, j * self.count + begin) for j in range(PIECES + 1)]
        least = most = values[0]
        for value in values[1:]:
            least, most = smaller(least, value), larger(most, value)
        error, scale = self._misfit(values), larger(magnitude(least), magnitude(most))
        one_side = (least > 0.0) | (most < 0.0)
        nearest = smaller(magnitude(least), magnitude(most))
        far = one_side & (nearest > 2.0 * (most - least) + 4.0 * error)
        unknown = error > UNKNOWN * scale
        slopes = [self._slope(values, j) for j in range(PIECES + 1)]
        doubt = w.real(NONE)
        for j in range(PIECES, 0, -1):
            a, b, left, right = values[j - 1], values[j], slopes[j - 1], slopes[j]
            width = float(POINTS[j] - POINTS[j - 1])
            hides = hides_roots(a, b, left, right, width, FLAT * scale, 4.0 * error)
            unsure = (error > UNSURE * scale) & (smaller(magnitude(a), magnitude(b)) <= 4.0 * error)
            doubtful = hides | unsure
            if j == 1 and guards:
                other_sides = (a > 0.0) ^ (b > 0.0)
                begins = w.load("restart").differs(0.0)
                doubtful = begins & hides & (other_sides | (left * right < 0.0)) | ~begins & doubtful
            mean = b - a
            first_slope, last_slope = left * width / mean, right * width / mean
            lingering = lingers(a, b, first_slope, last_slope) | lingers(b, a, last_slope, first_slope)
            doubtful = doubtful | (whole > CLOSE_ROOTS) & mean.differs(0.0) & lingering
            doubt = where(doubtful & (pieces >= float(j)), float(j), doubt)
        doubt = where(unknown, 1.0, doubt)
        doubt = where(far, NONE, doubt)
        return smaller(first, doubt)

    def _straight(self) -> Value:
        """Whether the witnesses that cross in the piece of their lane go straight across: one root each."""
        w = self.w
        bad = w.real(0.0)

        def combine(i: Index, bad: Value) -> Value:
            piece = w.load("piece")
            values = [self.sampled(j, i) for j in range(PIECES + 1)]
            slopes = [self._slope(values, j) for j in range(PIECES + 1)]
            a, b, left, right = values[0], values[1], slopes[0], slopes[1]
            width = w.real(float(POINTS[1] - POINTS[0]))
            for j in range(2, PIECES + 1):
                this = piece.equals(float(j))
                a, b = where(this, values[j - 1], a), where(this, values[j], b)
                left, right = where(this, slopes[j - 1], left), where(this, slopes[j], right)
                width = where(this, float(POINTS[j] - POINTS[j - 1]), width)
            crossing = (a > 0.0) & (b <= 0.0)
            mean = (b - a) / width
            first, last = left / mean, right / mean
            at_start = magnitude(a) < NOT_LEFT * magnitude(b)
            across = (first > 1.0 / STRAIGHT) & (first < STRAIGHT) & (last > 1.0 / STRAIGHT) & (last < STRAIGHT)
            good = at_start & (last < LATE) | ~at_start & across
            good = good & ~(self._misfit(values) > ROOM * magnitude(b - a))
            return where(crossing & ~good, 1.0, bad)

        return w.reduce(self.count, bad, combine, 0).equals(0.0)

    def end_before(self, found: Value) -> None:
        """Where an action ends the run, the lane stays at the beginning of the step; the ordinary run takes over."""
        w, actions = self.w, self.step.lane_events.actions
        ends = w.truth(False)
        for i, item in enumerate(self.step.lane_events.witnesses):
            if not item.relation and actions[item.number].ends:
                ends = ends | found & w.load("crossed", i).differs(0.0)
        if any(action.ends for action in actions):
            w.store_where(ends, float(EVENTFUL), "status")
            self.copy("g_start", "g_low", ends)

    # --- closing in ---

    def narrow(self, found: Value) -> None:
        """Shrink (low, high] around its first crossing to the resolution of time; Illinois, each fourth a bisection."""
        w, step = self.w, self.step
        t0, t1 = w.load("t0"), w.load("t1")
        width = TIME_RESOLUTION * larger(magnitude(t0), magnitude(t1)) / (t1 - t0)
        w.store(where(found, 1.0, 0.0), "sampling")
        for name, value in (("weight_low", 1.0), ("weight_high", 1.0), ("side", 0.0), ("turn", 0.0)):
            w.store(value, name)
        w.repeat(MAX_NARROWING, lambda: self._closer(width))
        w.each(self.count, lambda i: w.store(where(
            found & (w.load("g_low", i) > 0.0) & (w.load("g_high", i) <= 0.0), 1.0, 0.0), "crossed", i), 4)
        w.store(where(found, 1.0, 0.0), "sampling")
        self.evaluate(w.load("low"))
        w.each(step.n, lambda i: w.store_where(found, w.load("input", i, 1), "x_before", i))
        self.evaluate(w.load("high"))
        w.each(step.n, lambda i: w.store_where(found, w.load("input", i, 1), "held", i))
        w.store_where(found, w.load("input"), "t_end")
        w.store_where(found, w.load("high"), "event")

    def _closer(self, width: Value) -> Value:
        """One evaluation; returns which lanes need another."""
        w = self.w
        low, high = w.load("low"), w.load("high")
        going = w.load("sampling").differs(0.0) & (high - low > width)
        weight_low, weight_high = w.load("weight_low"), w.load("weight_high")

        def earliest(i: Index, theta: Value) -> Value:
            below, above = w.load("g_low", i), w.load("g_high", i)
            a, b = magnitude(below) * weight_low, magnitude(above) * weight_high
            return where((below > 0.0) & (above <= 0.0), smaller(theta, low + (high - low) * (a / (a + b))), theta)

        theta = w.reduce(self.count, high, earliest, 0)
        turn = w.load("turn")
        fourth = turn.equals(3.0)
        theta = where(fourth, 0.5 * (low + high), theta)
        w.store(where(fourth, 0.0, turn + 1.0), "turn")
        margin = smaller(0.5 * width, 0.5 * (high - low))
        theta = smaller(larger(theta, low + margin), high - margin)
        going = going & (theta > low) & (theta < high)
        w.store(where(going, 1.0, 0.0), "sampling")
        self.evaluate(theta)
        crossing = self.any_crossing(lambda i: w.load("g_low", i), lambda i: w.load("g_now", i))
        earlier, later = going & crossing, going & ~crossing
        self.copy("g_now", "g_high", earlier)
        self.copy("g_now", "g_low", later)
        w.store_where(earlier, theta, "high")
        w.store_where(later, theta, "low")
        side = w.load("side")
        halved = where(side.equals(1.0), 0.5 * weight_low, 1.0)
        w.store(where(earlier, halved, where(later, 1.0, weight_low)), "weight_low")
        halved = where(side.equals(-1.0), 0.5 * weight_high, 1.0)
        w.store(where(later, halved, where(earlier, 1.0, weight_high)), "weight_high")
        w.store(where(earlier, 1.0, where(later, -1.0, side)), "side")
        return going


def hides_roots(a: Value, b: Value, slope_a: Value, slope_b: Value, width: float, flat: Value, margin: Value) -> Value:
    """Whether a function with these values and slopes at the ends of a piece may have more roots than signs show."""
    towards = where(b > a, 1.0, -1.0)
    against = (towards * slope_a < -flat) | (towards * slope_b < -flat)
    side = where(a > 0.0, 1.0, -1.0)
    difference, p, q = side * (b - a), side * slope_a * width, side * slope_b * width
    turns = (p < -flat * width) & (q > flat * width)
    straight_on = (p * difference > 0.0) & (larger(magnitude(p), magnitude(q)) < LATE * magnitude(difference))
    clear = ~turns & ((p * q < 0.0) | straight_on)
    # it may turn towards zero and back: the least value of the cubic
    A, B = 3.0 * (p + q - 2.0 * difference), 2.0 * (3.0 * difference - 2.0 * p - q)
    root = square_root(larger(B * B - 4.0 * A * p, 0.0))
    x = where(B >= 0.0, p / (-0.5 * (B + root)), -0.5 * (B - root) / A)
    value = side * a + x * (p + x * (0.5 * B + x * A / 3.0))
    dips = (x > 0.0) & (x < 1.0) & (value <= larger(DEEP * smaller(magnitude(a), magnitude(b)), margin))
    return where_truth((a > 0.0) ^ (b > 0.0), against, ~clear & dips)


def lingers(near: Value, far: Value, first: Value, last: Value) -> Value:
    """Whether a function keeps to zero, at one end of a piece, as if two more roots lay close by."""
    close = magnitude(near) < NOT_LEFT * magnitude(far)
    return (near * far >= 0.0) & close & (first > -AGAINST) & (last > LATE)


def where_truth(condition: Value, a: Value, b: Value) -> Value:
    """Truth value a where the condition holds, else b."""
    return condition & a | ~condition & b
