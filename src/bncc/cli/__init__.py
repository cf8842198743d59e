"""The command line: one file per command or group of commands.

Files of commands load scikit-learn and the rooms of the package inside functions, so that help, completion and
mistakes in typing are answered at once; `stop_with_care` marks where the loading ends and the work begins.
"""

from bncc.cli.app import app

__all__ = ["app"]
