"""Take a password and put it into the desktop's keyring; it is never shown."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from app.ui.kit.background import Background
from app.ui.kit.widgets import DIALOG_MARGINS, DialogButtons, column, make_note
from instruments.errors import one_line
from instruments.tools.secrets import store_password, variable

_WIDTH = 460


class PasswordDialog(QDialog):
    """Asks for the password of a source.

    Args:
        name: Name of the source.
        address: Where it is sent and as whom; it is kept for nobody else.
        what: What it is for, such as "password of the BMC's user".
    """

    def __init__(
        self,
        name: str,
        address: str,
        what: str,
        background: Background,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Password of {one_line(name)}")
        self._name, self._address = name, address
        self._background = background
        about = make_note(
            f"{what[:1].upper()}{what[1:]}, for {address} and no other address. It "
            "goes to this desktop's keyring, never into a file. Where there is no "
            f"keyring, set the variable {variable(name)} before Bayscope is started."
        )
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(f"Password of {name}")
        self.error = make_note("", "mistake")
        self.error.hide()
        self.buttons = DialogButtons(self, "Store")
        column(
            about,
            self.field,
            self.error,
            self.buttons,
            of=self,
            margins=DIALOG_MARGINS,
            spacing=10,
        )
        self.setMinimumWidth(_WIDTH)
        self.field.setFocus()

    def accept(self) -> None:
        """Store it, off the GUI thread; the dialog closes when it is stored."""
        secret = self.field.text()
        if not secret:
            self._complain("The password is missing. Enter one, or cancel.")
            return
        self.error.hide()
        self.buttons.yes.setEnabled(False)
        self._background.run(
            partial(store_password, self._name, self._address, secret),
            self._take,
            self._give_up,
            lasting=True,
        )

    @Slot(object)
    def _take(self, _: object) -> None:
        self.field.clear()
        super().accept()

    def _give_up(self, error: Exception) -> None:
        from keyring.errors import NoKeyringError  # noqa: PLC0415  (slow to import)

        self.buttons.yes.setEnabled(True)
        if isinstance(error.__cause__, NoKeyringError):
            self._complain(
                "This desktop has no keyring. Set the variable "
                f"{variable(self._name)} before Bayscope is started instead."
            )
        else:
            self._complain(str(error))

    def _complain(self, sentence: str) -> None:
        self.error.setText(sentence)
        # A label that wraps asks for no more height by itself.
        wide = self.width() - DIALOG_MARGINS[0] - DIALOG_MARGINS[2]
        self.error.setMinimumHeight(self.error.heightForWidth(wide))
        self.error.show()
        self.adjustSize()
        self.field.setFocus()

    def done(self, result: int) -> None:
        """Forget what was typed."""
        self.field.clear()
        super().done(result)
