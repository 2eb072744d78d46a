"""Sound inputs of this machine through PortAudio: list them, find one by name.

sounddevice (MIT) speaks to PortAudio and is kept well; it is imported only when a sound
input is asked for, since that fails where the library is not installed.
"""

import threading
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol

from instruments.errors import SourceError
from instruments.reading import Status

_lock = threading.Lock()
# Of all sources: PortAudio must not be restarted under one of them.
_open_streams = 0


class Stream(Protocol):
    """An opened input, as sounddevice has it."""

    @property
    def active(self) -> bool:
        """Whether it still delivers."""
        ...

    def start(self) -> None:
        """Begin to call back."""
        ...

    def close(self) -> None:
        """Stop, and let go of the device."""
        ...


class AudioApi(Protocol):
    """The part of sounddevice that is used; a fake in tests."""

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        """List all devices."""
        ...

    def InputStream(self, **options: Any) -> Stream:
        """Open an input; raises an error of PortAudio's."""
        ...


def audio_api(where: str) -> AudioApi:
    """Load PortAudio, and look again which devices there are.

    Raises:
        SourceError: PortAudio is not installed.
    """
    module = _sounddevice(where)
    with _lock:
        if not _open_streams:
            # PortAudio lists devices once; this is its only way to look again, and
            # it would end the streams that are open.
            try:
                module._terminate()  # noqa: SLF001
                module._initialize()  # noqa: SLF001
            except Exception as error:  # PortAudioError cannot be imported without it
                raise _unheard(error, where) from error
    api: AudioApi = module
    return api


def input_names(api: AudioApi) -> list[str]:
    """List the names of the inputs; raises SourceError."""
    return [name for _, name in _inputs(api, "microphone")]


def find_input(api: AudioApi, wanted: str, where: str) -> tuple[int, str]:
    """Find an input by its name or a part of it.

    Returns:
        Its number at present, and its whole name.

    Raises:
        SourceError: There is none, or more than one.
    """
    inputs = _inputs(api, where)
    if not inputs:
        raise SourceError(
            "no sound input is plugged in",
            where=where,
            way_out="Plug the microphone in; `arecord -l` lists what Linux sees.",
            status=Status.ABSENT,
        )
    names = ", ".join(f'"{name}"' for _, name in inputs)
    # The whole name first: "USB Audio" may be a part of "USB Audio 2" as well. Of two
    # inputs with one name nobody could say which is meant; the first is taken.
    same = [each for each in inputs if each[1] == wanted]
    matches = same[:1] or [each for each in inputs if wanted.lower() in each[1].lower()]
    if not matches:
        raise SourceError(
            f'no sound input is called "{wanted}"',
            where=where,
            way_out=f"There are {names}.",
            status=Status.ABSENT,
        )
    if len(matches) > 1:
        raise SourceError(
            f'{len(matches)} sound inputs have "{wanted}" in their name',
            where=where,
            way_out=f"Give the whole name of one of {names}.",
        )
    return matches[0]


def count_streams(change: int) -> None:
    """Note that a stream was opened (1) or closed (-1)."""
    global _open_streams  # noqa: PLW0603  (PortAudio is one for the whole process)
    with _lock:
        _open_streams += change


def _inputs(api: AudioApi, where: str) -> list[tuple[int, str]]:
    """List number and name of each device that has inputs; raises SourceError."""
    try:
        devices = api.query_devices()
    except Exception as error:  # PortAudioError cannot be imported without it
        raise _unheard(error, where) from error
    return [
        (number, str(device["name"]))
        for number, device in enumerate(devices)
        if device["max_input_channels"] > 0
    ]


def _unheard(error: Exception, where: str) -> SourceError:
    return SourceError(
        f"the sound inputs cannot be listed ({str(error).strip().rstrip('.')})",
        where=where,
        way_out="Check whether `arecord -l` lists them.",
    )


def _sounddevice(where: str) -> ModuleType:
    try:
        import sounddevice  # type: ignore[import-untyped]  # noqa: PLC0415
    except OSError as error:  # what sounddevice raises where it finds no library
        raise SourceError(
            "PortAudio is not installed, which microphones need",
            where=where,
            way_out="Install the Debian package libportaudio2.",
        ) from error
    module: ModuleType = sounddevice
    return module
