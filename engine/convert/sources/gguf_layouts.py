"""Which of GGUF's types a `PackedWeight` can take over, and in which form.

Imports no torch: a file's header is looked at by many who convert nothing. Knows nothing of how codes are unpacked.
"""

from __future__ import annotations

from gguf.constants import GGMLQuantizationType

from engine.convert.matrix import KeptFormat

GROUP = 32
KEPT_LAYOUTS = {
    GGMLQuantizationType.Q4_0: KeptFormat(4, GROUP, has_minimum=False, is_exact=True),
    GGMLQuantizationType.Q4_1: KeptFormat(4, GROUP, has_minimum=True, is_exact=True),
    GGMLQuantizationType.Q5_0: KeptFormat(5, GROUP, has_minimum=False, is_exact=True),
    GGMLQuantizationType.Q5_1: KeptFormat(5, GROUP, has_minimum=True, is_exact=True),
    GGMLQuantizationType.Q8_0: KeptFormat(8, GROUP, has_minimum=False, is_exact=True),
    GGMLQuantizationType.Q4_K: KeptFormat(4, GROUP, has_minimum=True, is_exact=False),
    GGMLQuantizationType.Q5_K: KeptFormat(5, GROUP, has_minimum=True, is_exact=False),
}
"""Of those that are exact the numbers are the same bit for bit; of others scale and minimum are rounded to float16."""
