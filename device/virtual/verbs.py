"""What the owner may do to a phone by name, from outside: the table behind `POST /do` of the control endpoint."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from device.virtual.phone import VirtualPhone

VERBS: Mapping[str, Callable[..., Any]] = {
    method.__name__: method
    for method in (
        VirtualPhone.show_anr,
        VirtualPhone.show_crash,
        VirtualPhone.dismiss_error,
        VirtualPhone.request_permission,
        VirtualPhone.reset_permissions,
        VirtualPhone.grant,
        VirtualPhone.revoke,
        VirtualPhone.set_lock,
        VirtualPhone.lock,
        VirtualPhone.sleep,
        VirtualPhone.wake,
        VirtualPhone.doze,
        VirtualPhone.dream,
        VirtualPhone.unlock,
        VirtualPhone.set_secure,
        VirtualPhone.notify,
        VirtualPhone.enable_accessibility_service,
        VirtualPhone.fold,
        VirtualPhone.hold,
        VirtualPhone.set_navigation,
        VirtualPhone.put_setting,
        VirtualPhone.open_notifications,
        VirtualPhone.open_quick_settings,
        VirtualPhone.close_shade,
        VirtualPhone.set_rotation,
        VirtualPhone.show_toast,
        VirtualPhone.start,
        VirtualPhone.force_stop,
    )
}
"""By name; arguments are those of the methods of VirtualPhone."""

_KINDS: Mapping[str, type] = {"str": str, "bool": bool, "int": int, "float": float}


class BadVerb(ValueError):
    """No such verb, or arguments that it does not take; the text names what there is."""


def do(phone: VirtualPhone, name: object, arguments: Mapping[str, Any]) -> Any:
    """Carry out a verb and give its result. Raises BadVerb, and what the verb raises."""
    verb = VERBS.get(name) if isinstance(name, str) else None
    if verb is None:
        raise BadVerb(f"verb must be one of {', '.join(sorted(VERBS))}, not {name!r}")
    parameters = dict(list(inspect.signature(verb).parameters.items())[1:])
    if unknown := sorted(set(arguments) - set(parameters)):
        raise BadVerb(f"{name} takes {', '.join(parameters) or 'nothing'}, not {', '.join(unknown)}")
    missing = [key for key, p in parameters.items() if p.default is p.empty and key not in arguments]
    if missing:
        raise BadVerb(f"{name} needs {', '.join(missing)}")
    for key, value in arguments.items():
        kind = _KINDS.get(str(parameters[key].annotation))
        if kind is not None and type(value) is not kind:
            raise BadVerb(f"{name}: {key} must be {_WORDS[kind]}, not {value!r}")
    return verb(phone, **arguments)


_WORDS: Mapping[type, str] = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
