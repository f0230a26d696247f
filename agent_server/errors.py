"""What the service refuses and what can go wrong in it: one stable code each, and the HTTP status it becomes.

ServiceError
├── InvalidRequest          a field of the request is missing, unknown or wrong
│   ├── TaskNotReadable     the policy cannot read the task
│   ├── NoSuchPolicy        no policy has that name, or its parameters are wrong
│   ├── NoSuchDevice        the serial in the request is not listed
│   ├── UnknownSecret       the task names a secret that nobody has kept
│   ├── SecretWrittenOut    the task quotes a kept secret instead of naming it
│   └── SerialNeeded        several phones, or none, and no serial
├── NotFound                no run, step, question or picture of that name
├── DeviceBusy              another run holds the phone and waiting was not wanted
├── DeviceNotReady          the phone is listed but cannot be used now
├── NotPausable             the run is not at work: it waits for its phone, or has ended
├── KeyReused               an Idempotency-Key came back with another body
├── QuestionClosed          the run does not wait for an answer any more
│   ├── AlreadyAnswered     somebody was quicker
│   └── QuestionExpired     its time is over
├── UnclearAnswer           the words fit none of the possible answers
├── SecretsUnreadable       the file of secrets is broken
├── Unauthorized, ForeignOrigin, WrongHost, TooLarge
├── ShuttingDown            the server is about to end
└── DataFolderInUse         another server works on this data folder
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One wrong field: a JSON pointer into the request (`/budgets/steps`) and what is wrong with it."""

    pointer: str
    detail: str


class ServiceError(Exception):
    """A request that cannot be met. The message says what is wrong, `advice` what to do."""

    code = "service-error"
    title = "The service cannot do this"
    status = 500

    def __init__(
        self, message: str, *, advice: str = "", pointer: str = "", fields: tuple[FieldError, ...] = ()
    ) -> None:
        super().__init__(message)
        self.advice = advice
        self.fields = fields or ((FieldError(pointer, message),) if pointer else ())


class InvalidRequest(ServiceError):
    code = "invalid-request"
    title = "The request is not valid"
    status = 422


class TaskNotReadable(InvalidRequest):
    code = "unreadable-task"
    title = "The policy cannot read the task"


class NoSuchPolicy(InvalidRequest):
    code = "unknown-policy"
    title = "No such policy"


class NoSuchDevice(InvalidRequest):
    code = "device-not-found"
    title = "No such phone"


class SerialNeeded(InvalidRequest):
    code = "serial-needed"
    title = "Which phone?"


class UnknownSecret(InvalidRequest):
    code = "unknown-secret"
    title = "No such secret"


class SecretWrittenOut(InvalidRequest):
    code = "secret-written-out"
    title = "The request quotes a secret"


class NotFound(ServiceError):
    code = "not-found"
    title = "Not found"
    status = 404


class DeviceBusy(ServiceError):
    code = "device-busy"
    title = "The phone is busy"
    status = 409


class DeviceNotReady(ServiceError):
    code = "device-not-ready"
    title = "The phone cannot be used now"
    status = 409


class NotPausable(ServiceError):
    code = "not-pausable"
    title = "The run is not at work"
    status = 409


class KeyReused(ServiceError):
    code = "idempotency-key-reused"
    title = "The Idempotency-Key was used for another request"
    status = 422


class QuestionClosed(ServiceError):
    code = "question-closed"
    title = "The question is closed"
    status = 409


class AlreadyAnswered(QuestionClosed):
    code = "already-answered"


class QuestionExpired(QuestionClosed):
    code = "question-expired"


class UnclearAnswer(ServiceError):
    code = "unclear-answer"
    title = "The answer is not clear"
    status = 422


class SecretsUnreadable(ServiceError):
    code = "secrets-unreadable"
    title = "The secrets cannot be read"
    status = 500


class Unauthorized(ServiceError):
    code = "unauthorized"
    title = "Who are you?"
    status = 401


class ForeignOrigin(ServiceError):
    code = "foreign-origin"
    title = "This web page may not use the service"
    status = 403


class WrongHost(ServiceError):
    code = "wrong-host"
    title = "This server does not answer to that name"
    status = 421


class TooLarge(ServiceError):
    code = "body-too-large"
    title = "The request is too large"
    status = 413


class ShuttingDown(ServiceError):
    code = "shutting-down"
    title = "The server is ending"
    status = 503


class DataFolderInUse(ServiceError):
    code = "data-folder-in-use"
    title = "Another server uses the data folder"
    status = 503
