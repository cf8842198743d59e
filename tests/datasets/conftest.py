from pathlib import Path

import pytest


@pytest.fixture
def closed(monkeypatch):
    """Makes a file refuse to be opened, also for a user who may open everything."""

    def close(path):
        opened = Path.open

        def refuse(self, *arguments, **options):
            if self == path:
                raise PermissionError(13, "Permission denied", str(self))
            return opened(self, *arguments, **options)

        path.chmod(0)
        monkeypatch.setattr(Path, "open", refuse)
        return path

    return close
