"""The bytes of a prepared weight, which files keep."""

import hashlib

import torch

from kernels.cpu.pool import Pool
from kernels.cpu.weights import NativeLayout, pack
from kernels.formats import BITS, PackedWeight

NAME = "cpu blocks of 8 rows, 1"
KNOWN = "cf3a7ad24e9b06464c912e65212bb72c7d5b876e147c1de097d6959f6e5775cd"


def test_layout_has_another_name_when_its_bytes_are_others() -> None:
    """Whoever changes the layout: give it a new name, which makes the files of all models anew, and its digest here."""
    pool = Pool(1)
    layout = NativeLayout(pool)
    digest = hashlib.sha256()
    for bits in BITS:
        for has_minimum in (False, True):
            digest.update(layout.data(pack(counted(bits, has_minimum), pool)))
    assert (layout.name, digest.hexdigest()) == (NAME, KNOWN)


def counted(bits: int, has_minimum: bool) -> PackedWeight:
    """A weight [11, 128] of consecutive bytes and numbers, with groups of 64."""
    codes = (torch.arange(11 * 128 * bits // 8) * 37 % 251).to(torch.uint8).view(11, -1)
    scale = torch.arange(22).half().view(11, 2)
    return PackedWeight(codes, scale, -scale if has_minimum else None, bits, 64)
