"""The daemon, in place of this process: python -m flipd [OPTION...]"""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "flipd")
    os.execv(program, ["flipd", *sys.argv[1:]])


if __name__ == "__main__":
    main()
