"""A run from its first step to its end."""

from __future__ import annotations

import math
from itertools import count

from agent_server.runs import speak
from agent_server.runs.budget import Halted, OutOfTime
from agent_server.runs.journal import LeaseLost, RunRecord
from agent_server.runs.model import Ending, OutcomeCode, Run
from agent_server.runs.step import Cast, Lived, end, take_step
from device.errors import DeviceError
from perception.errors import PerceptionError
from policies.errors import PolicyError


async def pursue(run: Run, cast: Cast) -> Ending:
    """Take steps until one of them ends the run. Whatever goes wrong on the way has an ending of its own."""
    past: tuple[Lived, ...] = ()
    try:
        for n in count(1):
            await _stand_still(cast)
            cast.latch.check()
            lived = await take_step(n, run, past, cast)
            if isinstance(lived, Ending):
                return lived
            past = (*past, lived)
    except Halted as halt:
        return halted(run, halt.cause, cast.record)
    except OutOfTime:
        return end(run, OutcomeCode.OUT_OF_SECONDS, "out-of-seconds")
    except PolicyError as error:
        return Ending(code=OutcomeCode.POLICY_ERROR, summary=str(error), cause=error.code, advice=error.advice)
    except DeviceError as error:
        return lost(run, error)
    except PerceptionError as error:
        return Ending(code=OutcomeCode.INTERNAL, summary=str(error), cause="perception-failed")
    except LeaseLost:
        return end(run, OutcomeCode.INTERRUPTED, "lease-lost")
    raise AssertionError("a run ends by one of its steps")


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
        advice=error.advice or ADVICE.get(error.code, ""),
    )


ADVICE = {
    "device-link-lost": "Check the cable or the network, then start the run again; GET /v1/devices shows the phones.",
    "device-not-found": "Connect the phone; GET /v1/devices shows the phones.",
    "device-offline": "Plug the phone in again, or `adb reconnect`.",
    "device-unauthorized": "Allow debugging on the phone's screen.",
    "adb-server-unavailable": "Start the adb server: `adb start-server`.",
    "device-timeout": "See whether the phone still reacts, then start the run again.",
}
