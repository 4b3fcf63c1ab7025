"""Runs a command at a pseudo-terminal, and prints the terminal's text without escape sequences.

Arguments: a time limit in seconds, keys to type at the start, keys to type at each prompt of a line editor, `--`, and
the command. A line editor queries the cursor's position before each prompt. Exits with the command's status.
"""

import os
import pty
import re
import signal
import sys

QUERY = b"\x1b[6n"
POSITION = b"\x1b[1;1R"


def expire(*_):
    raise TimeoutError


end = sys.argv.index("--")
limit, first, *keys = sys.argv[1:end]
command = sys.argv[end + 1 :]
process, terminal = pty.fork()
if process == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(command[0], command)
signal.signal(signal.SIGALRM, expire)
signal.alarm(int(limit))
os.write(terminal, first.encode())
text = b""
answered = 0
try:
    while read := os.read(terminal, 1 << 16):
        text += read
        while answered < text.count(QUERY):
            typed = keys[answered] if answered < len(keys) else ""
            os.write(terminal, POSITION + typed.encode())
            answered += 1
except OSError:  # The command has ended, or the time has.
    pass
os.close(terminal)
status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
text = re.sub(rb"\x1b(\[[0-9;?]*[A-Za-z]|[78])", b"", text).replace(b"\r", b"")
sys.stdout.buffer.write(text)
sys.exit(status)
