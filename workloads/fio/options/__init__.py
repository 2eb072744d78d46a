"""fio's own options, as fio itself describes them."""
