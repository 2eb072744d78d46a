"""One function for each user action; the window and the command line call them."""
