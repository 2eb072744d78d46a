"""An account on another machine, as the bench names it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """An account on another machine, and how to get into it.

    Attributes:
        address: Name or network address, or an alias of ~/.ssh/config.
        user: Account; "" is the one of ~/.ssh/config, or the own name.
        port: TCP port; 0 is the one of ~/.ssh/config, or 22.
        key: File of the private key; "" asks the agent, then the usual files.
        known_hosts: File of known host keys; "" is the user's and the system's.
    """

    address: str
    user: str = ""
    port: int = 0
    key: str = ""
    known_hosts: str = ""

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{user}{self.address}" + (f":{self.port}" if self.port else "")
