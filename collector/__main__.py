"""`python -m collector` is `groundwatch`."""

import sys

from collector.cli import main

sys.exit(main())
