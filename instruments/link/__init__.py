"""Ways to an instrument: VISA, sockets, serial ports, SCPI."""
