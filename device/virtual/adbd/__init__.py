"""The phone's side of adb: transport, services, shell, file transfer, automation server.

transport.py   one adb server's connection: streams over one socket
services.py    service names and what answers them
shell/         parser, interpreter, and the commands by topic
sync.py        file transfer over the phone's files (filesystem.py)
u2server.py    HTTP and JSON-RPC; rpc/ holds the methods and the selectors
conditions.py  faults and latency on this side of the wire
link.py        connections that come and go
bridge.py      what all this needs of whoever keeps the phone (host.py)
"""
