"""A line that says what fio would do, in the colour of how bad that is."""

from app.ui.campaign.fio_advice import Advice
from app.ui.kit.labels import tone
from app.ui.kit.sentence_label import SentenceLabel


class AdviceLabel(SentenceLabel):
    """What fio would do with something, below it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(f"What fio would do with {name}")

    def advise(self, advice: Advice | None) -> None:
        """Say it; None takes it back."""
        if advice is not None:
            tone(self, "error" if advice.is_bad else "warn")
        self.say("" if advice is None else advice.text)
