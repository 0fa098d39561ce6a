"""`python -m tflint`: the command line."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":  # a worker process imports this file under another name
    main()
