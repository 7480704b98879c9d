"""The time of a conversion, told before there is anything to convert."""

import subprocess
import sys

from engine.planning.conversion_time import conversion_s
from engine.planning.known_models import find_known


def test_larger_models_take_longer_and_nearest_codes_are_not_timed() -> None:
    times = []
    for name in ("SmolLM2 135M", "Qwen2.5 0.5B", "Qwen2.5 3B"):
        known = find_known(name)
        assert known is not None
        times.append(conversion_s(known.spec, "smallest"))
        assert conversion_s(known.spec, "balanced") == times[-1]
        assert conversion_s(known.spec, "faithful") is None
    small, middle, large = (time for time in times if time is not None)
    assert 60 < small < middle / 2 < large / 10


def test_the_estimate_needs_no_torch() -> None:
    code = "import sys, engine.planning.conversion_time; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
