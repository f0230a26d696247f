"""Exit status 0 while the server in this container takes runs (`/readyz`), 1 with the reason otherwise."""

import http.client
import os
import sys


def main() -> int:
    # Not urllib: that would ask a proxy of the environment for this very machine.
    server = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("TAPWRIGHT_PORT", "8765")), timeout=4)
    try:
        server.request("GET", "/readyz")
        answer = server.getresponse()
        if answer.status != http.client.OK:
            return _unwell(answer.read(500).decode(errors="replace"))
    except (OSError, http.client.HTTPException) as error:
        return _unwell(str(error))
    return 0


def _unwell(reason: str) -> int:
    sys.stderr.write(reason + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
