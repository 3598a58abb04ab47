"""Prometheus metrics. Labels are names of the table and of the vocabulary, so their number is bounded."""

from __future__ import annotations

import os
import time
from functools import cache
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from reticent.about import about

if TYPE_CHECKING:
    from reticent_service.observing import Call
    from reticent_service.plan_holder import PlanHolder, State

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300)


class Metrics:
    """The service's metrics, in a registry of their own."""

    def __init__(self, holder: PlanHolder) -> None:
        """Count from nought; ``holder`` tells the state of the plan."""
        self._holder = holder
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("reticent_requests", "Filter requests.", ("surface", "outcome"), registry=registry)
        self._removals = Counter("reticent_removals", "Removed carriers.", ("surface", "rule"), registry=registry)
        self._unknown = Counter(
            "reticent_unknown_types", "Blocks of a type nobody knows.", ("surface",), registry=registry
        )
        self._bytes = Counter("reticent_bytes", "Bytes in and out.", ("surface", "direction"), registry=registry)
        self._seconds = Histogram(
            "reticent_request_seconds", "Time of a request.", ("surface",), registry=registry, buckets=_SECONDS
        )
        self._plan_age = Gauge(
            "reticent_plan_age_seconds", "Age of the plan in force.", registry=registry, multiprocess_mode="mostrecent"
        )
        self._plan_current = Gauge(
            "reticent_plan_current",
            "1 when the plan in force is what is configured, 0 when it is the last good one.",
            registry=registry,
            multiprocess_mode="min",
        )

        self._condition_held = Gauge(
            "reticent_condition_held",
            "1 while a condition that asks for evidence is shown to hold, 0 while it is not.",
            ("surface", "condition", "owner"),
            registry=registry,
            multiprocess_mode="min",
        )
        self._condition_since = Gauge(
            "reticent_condition_lost_since_seconds",
            "When a condition was lost, in seconds since 1970; 0 while it holds.",
            ("surface", "condition", "owner"),
            registry=registry,
            multiprocess_mode="max",
        )
        self._glass = Counter(
            "reticent_break_glass",
            "What happened to requests to see reasoning.",
            ("surface", "action"),
            registry=registry,
        )
        told = about()
        Gauge(
            "reticent_build_info",
            "1; the labels say the release, the digest of the rules that ship, and the native pass in use.",
            ("version", "rules", "native"),
            registry=registry,
            multiprocess_mode="mostrecent",
        ).labels(told.version, told.rules, told.native or "").set(1)
        # Labels are few, and looking a child up costs more than counting it up.
        self._children = cache(self._make_children)

    def finished(self, call: Call) -> None:
        """Count one call."""
        surface = call.surface or "none"
        requests, bytes_in, bytes_out, seconds = self._children(surface, call.outcome)
        requests.inc()
        bytes_in.inc(call.bytes_in)
        bytes_out.inc(call.bytes_out)
        seconds.observe(call.seconds)
        for rule, removal in call.report.removals.items():
            self._removals.labels(surface, rule).inc(removal.count)
        if call.unknown_types:
            self._unknown.labels(surface).inc(call.unknown_types)

    def _make_children(self, surface: str, outcome: str) -> tuple[Counter, Counter, Counter, Histogram]:
        return (
            self._requests.labels(surface, outcome),
            self._bytes.labels(surface, "in"),
            self._bytes.labels(surface, "out"),
            self._seconds.labels(surface),
        )

    def close(self) -> None:
        """Nothing is held back."""

    def glass(self, what: str, surface: str) -> None:
        """Count one step of a request to see reasoning."""
        self._glass.labels(surface, what).inc()

    def _tell_conditions(self, state: State) -> None:
        since = {lost.name: lost.since for lost in state.lost}
        for name, decision in state.plan.decisions.items():
            for condition in decision.conditions:
                if condition.surface == name and condition.evidence is not None:
                    labels, lost = (name, condition.name, decision.owner), f"{name}.{condition.name}"
                    self._condition_held.labels(*labels).set(0 if lost in since else 1)
                    self._condition_since.labels(*labels).set(since.get(lost, 0))

    def totals(self) -> dict[str, dict[str, int]]:
        """For each surface its requests and removals so far, for the review page."""
        found: dict[str, dict[str, int]] = {}
        for counter, name in ((self._requests, "requests"), (self._removals, "removals")):
            for sample in (sample for metric in counter.collect() for sample in metric.samples):
                if sample.name.endswith("_total"):
                    of = found.setdefault(sample.labels["surface"], {"requests": 0, "removals": 0})
                    of[name] += int(sample.value)
        return found

    def text(self) -> bytes:
        """The exposition that ``GET /metrics`` answers with; over all workers where they share a directory."""
        state = self._holder.state
        self._plan_age.set(time.time() - state.loaded)
        self._plan_current.set(0 if state.failure else 1)
        self._tell_conditions(state)
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]  # the package has no types here
        return generate_latest(shared)
