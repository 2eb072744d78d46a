from datetime import date
from pathlib import Path

import pytest

from app.bench.build import build_sources
from app.bench.file import default_bench, load_bench, parse_bench
from app.bench.model import Cost
from instruments.errors import BadInput
from resources import read_text

GOOD = """
name = "Lab"
[dut]
name = "JBOD"
target = "~/scratch.dat"
size = "64g"
drives = 60
[[power]]
name = "mains"
driver = "hmc8015"
resource = "TCPIP::192.0.2.5::5025::SOCKET"
voltage_range = 300
current_range = 10
[[power]]
driver = "hmc8015"
resource = "TCPIP::192.0.2.6::5025::SOCKET"
[[thermal]]
driver = "simulated"
address = "127.0.0.1:5026"
[cost]
price_per_kwh = 0.3
"""


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_bench(text, "bench.toml")
    return str(caught.value)


def test_a_bench_is_read_with_default_names() -> None:
    bench = parse_bench(GOOD, "bench.toml")
    assert [source.name for source in bench.sources] == ["mains", "power2", "thermal"]
    assert bench.dut.size == 64 * 2**30
    assert bench.dut.targets[0] == Path.home() / "scratch.dat"
    assert bench.is_simulated
    assert not parse_bench(GOOD.split("[[thermal]]", 1)[0], "b").is_simulated


def test_sources_are_built_but_not_reached() -> None:
    sources = build_sources(parse_bench(GOOD, "bench.toml"))
    assert [(s.section, s.driver) for s in sources] == [
        ("power", "hmc8015"),
        ("power", "hmc8015"),
        ("thermal", "simulated"),
    ]


def test_the_simulator_fills_in_its_addresses() -> None:
    ready = default_bench().at("TCPIP::127.0.0.1::7001::SOCKET", "127.0.0.1:7002")
    assert [source.address for source in ready.sources] == [
        "TCPIP::127.0.0.1::7001::SOCKET",
        "127.0.0.1:7002",
        "127.0.0.1:7002",
    ]


def test_explicit_addresses_are_left_alone() -> None:
    ready = parse_bench(GOOD, "b").at("TCPIP::127.0.0.1::1::SOCKET", "127.0.0.1:2")
    assert ready.sources[0].address == "TCPIP::192.0.2.5::5025::SOCKET"
    assert ready.sources[2].address == "127.0.0.1:5026"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('driver = "hmc8015"', 'driver = "hmc8012"', 'did you mean "hmc8015"?'),
        (
            "voltage_range = 300",
            "voltage_range = 230",
            "line 12, [[power]] 1 voltage_range: voltage_range is 230",
        ),
        ("voltage_range = 300", "voltage = 300", "[[power]] 1 voltage: unknown key"),
        ('size = "64g"', 'size = "large"', "line 6, dut.size"),
        ('name = "JBOD"', "", "dut.name: name is missing"),
        ('name = "mains"', 'name = "ma ins"', "letters, digits"),
        ('name = "mains"', 'name = "power2"', "is used twice"),
        ('resource = "TCPIP::192.0.2.6::5025::SOCKET"', "", "resource is missing"),
        ('address = "127.0.0.1:5026"', "", "Add a [simulated] table"),
        ('name = "Lab"', 'name = "Lab"\nwatts = 3', "unknown key"),
        ("[cost]", "[[power]", "line"),
        ("[dut]", "[dud]", 'line 3, dud: unknown key (did you mean "dut"?)'),
        ("[[thermal]]", "[[termal]]", "line 17, termal: unknown key"),
        ("voltage_range", "voltage_rnage", 'did you mean "voltage_range"?'),
        ("voltage_range", "measurs", 'did you mean "measures"?'),
        ("voltage_range", "x", "calibrated, calibration_days, "),
        ("drives = 60", 'drives = "sixty"', "Expected a whole number of 0 or more."),
        (
            'name = "mains"',
            'calibrated = "soon"\nname = "mains"',
            'line 9, [[power]] 1 calibrated: calibrated is "soon". Expected a day',
        ),
        ("[[thermal]]", '[[thermal]]\nhost = "head"', "Available: address"),
        ("price_per_kwh = 0.3", "price_kwh = 0.3", 'did you mean "price_per_kwh"?'),
        ("price_per_kwh = 0.3", "duty = 2", "cost.duty: duty is 2"),
        ("127.0.0.1:5026", "127.0.0.1:99999", "line 19, [[thermal]] 1 address: "),
        ("192.0.2.6::5025", "192.0.2.6::65536", "resource has the port 65536"),
        ("drives = 60", 'layout = "1000x1000000"', "line 7, dut.layout: "),
        ("drives = 60", 'layout = "4x15 "', 'there is no layout "4x15 "'),
    ],
)
def test_a_mistake_names_line_key_and_expectation(
    old: str, new: str, expected: str
) -> None:
    sentence = refusal(GOOD.replace(old, new))
    assert sentence.startswith("bench.toml")
    assert expected in sentence


def test_a_campaign_is_called_one() -> None:
    with pytest.raises(BadInput, match="this is a campaign, not a bench"):
        parse_bench(read_text("campaigns", "demo.toml"), "demo.toml")


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        load_bench(tmp_path / "nowhere.toml")


def test_what_a_source_measures_and_its_calibration_are_kept() -> None:
    text = GOOD.replace(
        'name = "mains"', 'name = "mains"\nmeasures = "server"\ncalibrated = 2026-03-31'
    )
    source, other, *_ = parse_bench(text, "b").sources
    assert (source.measures, source.calibrated) == ("server", date(2026, 3, 31))
    assert (other.measures, other.calibrated) == ("dut", None)
    assert (source.calibration_days, other.calibration_days) == (365, 365)
    assert 'calibrated = "2026-03-31"' in source.text
    assert parse_bench(text, "b").cost == Cost(price_per_kwh=0.3)


def test_a_driver_that_wants_the_day_of_calibration_gets_it(tmp_path: Path) -> None:
    wav = tmp_path / "fan.wav"
    wav.touch()
    noise = f'driver = "wav"\nfile = "{wav}"\ncalibration = 120.0\n'
    noise += "calibrated = 2026-03-31\n[cost]"
    text = GOOD.replace("[cost]", f"[[noise]]\n{noise}")
    *_, source = parse_bench(text, "b").sources
    assert source.calibrated == date(2026, 3, 31)
    assert source.keys["calibrated"] == "2026-03-31"
    assert source.text.count("calibrated") == 1


def test_a_target_may_be_a_list_of_names_and_patterns() -> None:
    many = 'target = ["~/a.dat", "/scratch/dev*"]'
    bench = parse_bench(GOOD.replace('target = "~/scratch.dat"', many), "bench.toml")
    assert bench.dut.targets == (Path.home() / "a.dat", Path("/scratch/dev*"))
    assert bench.dut.size == 64 * 2**30
    assert bench.with_target(Path("/new")).dut.targets == (Path("/new"),)
    disks = many.replace("~", "/dev")
    whole = GOOD.replace('target = "~/scratch.dat"', disks).replace('size = "64g"', "")
    assert parse_bench(whole, "bench.toml").dut.size == 0


@pytest.mark.parametrize("many", ["[]", '["a", " "]', "[1]"])
def test_a_list_of_targets_without_names_is_refused(many: str) -> None:
    text = GOOD.replace('target = "~/scratch.dat"', f"target = {many}")
    assert "bench.toml, line 5" in refusal(text)


def test_two_passwords_never_have_one_name() -> None:
    one = (
        '[[thermal]]\nname = "{0}"\ndriver = "ipmi"\naddress = "{0}.test"\nuser = "a"\n'
    )
    head = GOOD.split("[[power]]", 1)[0]
    assert refusal(head + one.format("bmc-1") + one.format("bmc_1")) == (
        'bench.toml: "bmc-1" and "bmc_1" share BAYSCOPE_PASSWORD_BMC_1 for their '
        "passwords. Give one of them a name that differs in more than - and _ and case."
    )
    assert parse_bench(head + one.format("bmc1") + one.format("bmc2"), "b").sources


def test_the_sensor_of_the_ambient_is_of_a_source_of_the_bench() -> None:
    named = GOOD.replace("drives = 60", 'ambient = "thermal.temperature.inlet"')
    bench = parse_bench(named, "bench.toml")
    assert bench.dut.ambient == ("thermal.temperature.inlet",)
    several = named.replace(' "thermal.temp', ' ["thermal.temp').replace(
        'inlet"', 'inlet"]'
    )
    assert parse_bench(several, "bench.toml").dut.ambient == bench.dut.ambient
    assert refusal(named.replace(' "thermal.temp', ' "rack.temp')) == (
        'bench.toml, line 7, dut.ambient: ambient is "rack.temperature.inlet", and '
        'there is no source "rack". Available: mains, power2, thermal.'
    )
    assert "Expected the name of a temperature" in refusal(
        named.replace("thermal.temperature.inlet", "thermal")
    )


def test_what_derived_figures_are_made_of_is_read() -> None:
    more = (
        "drives = 60\ncapacity_tb = 1200\nnet_capacity_tb = 960\n"
        "usable_capacity_tb = 864\nenclosure_w = 140\nprice = 30000\n"
    )
    text = GOOD.replace("drives = 60\n", more) + "co2_g_per_kwh = 380\n"
    bench = parse_bench(text, "bench.toml")
    dut = bench.dut
    assert (dut.net_capacity_tb, dut.usable_capacity_tb) == (960, 864)
    assert (dut.enclosure_w, dut.price) == (140, 30000)
    assert bench.cost.co2_g_per_kwh == 380
    said = refusal(text.replace("= 960", "= 1300"))
    assert "net_capacity_tb is 1300 TB, more than capacity_tb" in said
    said = refusal(text.replace("= 864", "= 961"))
    assert "usable_capacity_tb is 961 TB, more than net_capacity_tb" in said
    assert "price" in refusal(text.replace("= 30000", "= -1"))
