"""What numbers may be: declared on a parameter by `only=`, and asked of blocks."""

from __future__ import annotations

import math

from ..mechanism import Range

NUMBER = Range(" must be finite", math.isfinite)
NOT_NEGATIVE = Range(" cannot be negative", lambda x: x >= 0)
MASS = Range(": a mass cannot be negative", lambda x: x >= 0)
POSITIVE = Range(" must be positive", lambda x: x > 0)
NOT_ZERO = Range(" must be other than zero", lambda x: x != 0)
AT_LEAST_ONE = Range(" must be at least 1", lambda x: x >= 1)
FRACTION = Range(" must lie between 0 and 1", lambda x: 0 <= x <= 1)
