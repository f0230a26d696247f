"""A run from its first step to its end."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count

from agent_server.runs import speak
from agent_server.runs.budget import Halted, OutOfBudget, OutOfTime
from agent_server.runs.cast import Cast, Lived, end
from agent_server.runs.journal import LeaseLost, RunRecord
from agent_server.runs.model import Ending, OutcomeCode, Run
from agent_server.runs.permission import may_send
from agent_server.runs.step import take_step
from device.errors import DeviceError
from perception.errors import PerceptionError
from policies.errors import PolicyError


async def pursue(run: Run, cast: Cast) -> Ending:
    """Take steps until one of them ends the run. Whatever goes wrong on the way has an ending of its own."""
    try:
        return await _steps(run, cast)
    except Halted as halt:
        return halted(run, halt.cause, cast.record)
    except OutOfTime:
        return end(run, OutcomeCode.OUT_OF_SECONDS, "out-of-seconds")
    except OutOfBudget as bound:
        return replace(end(run, OutcomeCode.OUT_OF_BUDGET, bound.cause), advice=BUDGET_ADVICE)
    except PolicyError as error:
        return Ending(code=OutcomeCode.POLICY_ERROR, summary=str(error), cause=error.code, advice=error.advice)
    except DeviceError as error:
        return lost(run, error)
    except PerceptionError as error:
        return Ending(code=OutcomeCode.INTERNAL, summary=str(error), cause="perception-failed")
    except LeaseLost:
        return end(run, OutcomeCode.INTERRUPTED, "lease-lost")
    finally:
        # However it ended: nothing of the run goes on behind its last event.
        await cast.hindsight.close()


async def _steps(run: Run, cast: Cast) -> Ending:
    past: tuple[Lived, ...] = ()
    for n in count(1):
        await _stand_still(cast)
        cast.latch.check()
        refused = await may_send(run, cast)
        if refused is not None:
            return refused
        lived = await take_step(n, run, past, cast)
        if isinstance(lived, Ending):
            return lived
        past = _with_pictures((*past, lived), cast.policy.needs.pictures)
    raise AssertionError("a run ends by one of its steps")


def _with_pictures(past: tuple[Lived, ...], count: int) -> tuple[Lived, ...]:
    """The same steps, the last `count` with their pictures: a picture takes megabytes, and a run may be long."""
    older, last = past[: len(past) - count], past[len(past) - count :]
    return (*(replace(one, turn=replace(one.turn, frame=None)) for one in older), *last)


async def _stand_still(cast: Cast) -> None:
    """While the brake is on. The next step looks at the screen anew, so what a person did meanwhile is seen."""
    while cast.brake.on:
        cast.brake.standing = True
        await cast.record.paused()
        with cast.watch.paused():
            await cast.latch.during(cast.brake.released(), math.inf)
        cast.brake.standing = False
        await cast.record.resumed()


def halted(run: Run, cause: str, record: RunRecord) -> Ending:
    """The sentence says what had been done when the run was told to end."""
    code = OutcomeCode.STOPPED if cause == "stopped-by-person" else OutcomeCode.INTERRUPTED
    done = record.acted
    more = (
        speak.reason("nothing-done", run.lang)
        if done is None
        else speak.reason("last-act", run.lang, act=speak.act(done, run.lang))
    )
    return Ending(code=code, summary=f"{speak.reason(cause, run.lang)} {more}", cause=cause)


def lost(run: Run, error: DeviceError) -> Ending:
    """The phone cannot be used any more."""
    return Ending(
        code=OutcomeCode.DEVICE_LOST,
        summary=speak.reason(error.code, run.lang, said=str(error)),
        cause=error.code,
        # What the error itself knows to do, else what helps a run.
        advice=error.advice if error.advice != error.mending else ADVICE.get(error.code, error.advice),
    )


BUDGET_ADVICE = "What was done stays done. Start a new run for the rest, with a larger budget or one of another kind."
ADVICE = {
    "device-link-lost": "Check the cable or the network, then start the run again; GET /v1/devices shows the phones.",
    "device-not-found": "Connect the phone; GET /v1/devices shows the phones.",
    "device-offline": "Plug the phone in again, or `adb reconnect`.",
    "device-unauthorized": "Allow debugging on the phone's screen.",
    "adb-server-unavailable": "Start the adb server: `adb start-server`.",
    "device-timeout": "See whether the phone still reacts, then start the run again.",
}
