"""The run itself: its order, its steering, its judgement, what it writes down."""
