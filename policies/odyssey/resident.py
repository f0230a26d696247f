"""A network at work in this process: questions of a policy in, answers out. Loading this module loads PyTorch."""

from __future__ import annotations

import asyncio

from policies.base import Usage
from policies.llm.base import Message, Picture, Reply, Request
from policies.llm.errors import ModelError, RateLimited, Rejected
from policies.odyssey.conversation import Manner, Said, asked
from policies.odyssey.generation import BadJob, Job
from policies.odyssey.network.images import BadPicture
from policies.odyssey.prompt import Form
from policies.odyssey.serve.worker import Crowded, Limits, worker_of
from policies.odyssey.source import Source, opened


class Resident:
    """Prompts and answers are those of the server: both make them by `conversation.asked` and `serve.worker`."""

    def __init__(self, source: Source) -> None:
        """Loads the network and starts the thread that owns it; both stay as long as the process. Slow."""
        model, self._words = opened(source)
        self._worker, self._eyes = worker_of(model, self._words, Limits())
        self._worker.start()
        self._name = source.name

    async def once(self, request: Request, form: str) -> Reply:
        """Raises ModelError."""
        manner = Manner(form=Form(form), tokens=request.max_tokens)
        said = [_said(one) for one in request.messages]
        try:
            ticket = self._worker.submit(await asyncio.to_thread(self._read, said, manner))
            try:
                answer = await ticket.answer
            finally:
                ticket.given_up = True
        except (BadJob, BadPicture) as error:
            raise Rejected(f"The network cannot be asked this: {error}.") from error
        except Crowded as error:
            raise RateLimited("Too many runs wait for the network.") from error
        except Exception as error:  # the border to the network: whatever it raised is in the log
            raise ModelError("The network failed.", advice="The log says how; start the run again.") from error
        usage = Usage(input_tokens=answer.asked, output_tokens=answer.written, calls=1)
        return Reply(text=answer.text, usage=usage, model=self._name)

    def _read(self, said: list[Said], manner: Manner) -> Job:
        job = asked(said, manner, self._words)
        self._eyes.prepare([*job.screens, *job.history])
        return job


def _said(message: Message) -> Said:
    pictures = [part.data for part in message.parts if isinstance(part, Picture)]
    text = "".join(part for part in message.parts if isinstance(part, str))
    return Said(message.role, text, pictures[0] if pictures else None)
