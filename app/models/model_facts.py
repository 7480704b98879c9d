"""Owns the words for what a model and a machine are.

Knows neither widgets nor how a model runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.i18n import listed, translate
from app.widgets.units import file_size, memory_size, shown_size

if TYPE_CHECKING:
    from app.models.speed_store import Speed
    from engine.api import FormatGroup, ModelEntry
    from engine.catalog import CatalogEntry
    from engine.planner import Machine


def parameters_text(number: int) -> str:
    """`135 M parameters`, `3.1 B parameters`."""
    if number >= 999_500_000:
        return translate("app", "{number} B parameters").format(number=f"{number / 1e9:.1f}")
    return translate("app", "{number} M parameters").format(number=f"{number / 1e6:.0f}")


def nature_text(entry: ModelEntry) -> str:
    """`llama · 135 M parameters · 30 layers · context 8,192 tokens`."""
    spec = entry.spec
    parts = (
        spec.family,
        parameters_text(entry.num_parameters),
        translate("app", "{number} layers").format(number=spec.num_layers),
        translate("app", "context {number} tokens").format(number=f"{spec.max_context:,}"),
    )
    return " · ".join(parts)


def nature_tip(entry: ModelEntry) -> str:
    """Why a model may have more parameters than its name says; empty where it does not."""
    spec = entry.spec
    if spec.is_tied:
        return ""
    words = translate(
        "app",
        "Two tables of the vocabulary are counted, one to read with and one to answer with, as the model's file has "
        "both; each is {number}. Names of models often count one.",
    )
    return words.format(number=parameters_text(spec.vocab_size * spec.hidden_size))


def license_text(name: str | None) -> str:
    """`licence apache-2.0`, `licence not stated`."""
    return (
        translate("app", "licence {licence}").format(licence=name) if name else translate("app", "licence not stated")
    )


def storage_text(entry: ModelEntry) -> str:
    """`194 MB on disk: 98 MB the model, 96 MB a copy prepared for this machine · licence apache-2.0`."""
    size = translate("app", "{size} on disk").format(size=file_size(entry.size_bytes))
    if entry.prepared_bytes:
        words = translate("app", "{all} on disk: {size} the model, {prepared} a copy prepared for this machine")
        parts = (entry.size_bytes, entry.prepared_bytes)
        sizes = (sum(map(shown_size, parts)), *parts)
        size = words.format(**dict(zip(("all", "size", "prepared"), map(file_size, sizes), strict=True)))
    return f"{size} · {license_text(entry.license)}"


def copy_text() -> str:
    """What the copy is for."""
    return translate(
        "app",
        "The copy has the weights laid out for this machine's processor, so that loading takes a moment. It can be "
        "freed; the next load makes it again.",
    )


def copy_promise(size_bytes: int) -> str:
    """What a model will take on the disk beside itself, told beforehand."""
    words = translate(
        "app",
        "On disk are the model, {size}, and as much again for a copy prepared for this machine, which can be freed.",
    )
    return words.format(size=file_size(size_bytes))


def bits_text(entry: ModelEntry) -> str:
    """`4.9 bits a weight`, with all that is stored beside the codes."""
    return translate("app", "{bits} bits a weight").format(bits=f"{8 * entry.size_bytes / entry.num_parameters:.1f}")


def conversion_text(entry: ModelEntry) -> str:
    """`4.9 bits a weight · all weights exactly as in the source`, or how far they are from it."""
    conversion = entry.conversion
    if conversion is None:
        return bits_text(entry)
    if conversion.worst is None:
        return f"{bits_text(entry)} · {translate('app', 'all weights exactly as in the source')}"
    parts = [bits_text(entry)]
    if conversion.num_exact:
        exact = translate("app", "{exact} of {all} matrices exactly as in the source")
        parts.append(exact.format(exact=conversion.num_exact, all=conversion.num_matrices))
    if conversion.max_error is None:
        parts.append(translate("app", "error not measured"))
    else:
        error = translate("app", "largest error {error} % ({matrix})")
        parts.append(error.format(error=f"{100 * conversion.max_error:.2g}", matrix=conversion.worst))
    return " · ".join(parts)


def formats_text(entry: ModelEntry) -> str:
    """A line for each kind of matrix and format: `wq: 4 bits in groups of 32, exactly from Q4_0`."""
    groups = () if entry.conversion is None else entry.conversion.groups
    return "\n".join(_format_text(group) for group in groups)


def _format_text(group: FormatGroup) -> str:
    form = group.form
    matrix = group.matrix
    if group.ranges:
        matrix = translate("app", "{matrix} in layers {layers}").format(matrix=matrix, layers=group.ranges)
    packed = (
        translate("app", "{bits} bits with minimum in groups of {size}")
        if form.has_minimum
        else translate("app", "{bits} bits in groups of {size}")
    ).format(bits=form.bits, size=form.group_size)
    if form.is_exact:
        return translate("app", "{matrix}: {format}, exactly from {source}").format(
            matrix=matrix, format=packed, source=form.source
        )
    if form.error is None:
        words = translate("app", "{matrix}: {format}, from {source}")
        return words.format(matrix=matrix, format=packed, source=form.source)
    words = translate("app", "{matrix}: {format}, from {source}, error {error} %")
    return words.format(matrix=matrix, format=packed, source=form.source, error=f"{100 * form.error:.2g}")


def speed_text(speed: Speed) -> str:
    """`62 tok/s here, first token after 0.2 s (median of 9 answers)`."""
    rate = f"{speed.tokens_per_s:.0f}" if speed.tokens_per_s >= 10 else f"{speed.tokens_per_s:.1f}"
    answers = translate("app", "median of %n answer(s)", None, speed.num_answers)
    if speed.ttft_s is None:
        return translate("app", "{rate} tok/s here ({answers})").format(rate=rate, answers=answers)
    words = translate("app", "{rate} tok/s here, first token after {first} s ({answers})")
    return words.format(rate=rate, first=f"{speed.ttft_s:.1f}", answers=answers)


def fidelity_text(entry: ModelEntry) -> str:
    """What conversion has cost, on a held text; empty if it was not measured.

    `agrees with its source on 97 % of tokens · perplexity 9.1, the source's 8.9 · divergence 0.031`.
    """
    fidelity = entry.fidelity
    if fidelity is None:
        return ""
    words = translate(
        "app",
        "agrees with its source on {agreement} % of tokens · perplexity {perplexity}, the source's {source} · "
        "divergence {divergence}",
    )
    return words.format(
        agreement=f"{100 * fidelity.agreement:.0f}",
        perplexity=f"{fidelity.perplexity:.1f}",
        source=f"{fidelity.source_perplexity:.1f}",
        divergence=f"{fidelity.divergence:.3f}",
    )


def fidelity_tip() -> str:
    """What the figures of `fidelity_text` mean."""
    return translate(
        "app",
        "The converted model and its source have read the same short text. “Agrees”: how often both expect the same "
        "next token. Perplexity: among how many tokens the model wavers, fewer is better; close to the source's, "
        "little was lost. Divergence: how far the chances of the next tokens are apart, 0 is none.",
    )


def offer_text(entry: CatalogEntry) -> str:
    """`93 MB to download · then 98 MB, and as much again for a copy prepared for this machine · licence apache-2.0`."""
    words = translate(
        "app", "{download} to download · then {size} on disk, and as much again for a copy prepared for this machine"
    )
    size = words.format(download=file_size(entry.download_bytes), size=file_size(entry.size_bytes))
    return f"{size} · {license_text(entry.license)}"


def machine_text(machine: Machine) -> str:
    """`This machine: … CPU, 4 cores · 15.5 GiB memory (9.1 GiB free) · 41 GB free disk`."""
    parts = [
        listed((machine.cpu_name, translate("app", "%n core(s)", None, machine.num_cores))),
        translate("app", "{size} memory ({free} free)").format(
            size=memory_size(machine.memory_bytes), free=memory_size(machine.memory_free_bytes)
        ),
        translate("app", "{size} free disk").format(size=file_size(machine.disk_free_bytes)),
    ]
    return translate("app", "This machine: {parts}").format(parts=" · ".join(parts))
