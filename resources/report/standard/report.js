"use strict";
// Charts that zoom together and show the values under the pointer, from the points that
// stand beside each one. No network, no library.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800,
    14400, 21600, 43200, 86400];
  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg");
    const read = figure.appendChild(document.createElement("div"));
    const line = svg.appendChild(document.createElementNS(NS, "path"));
    line.setAttribute("stroke", "#12171d");
    read.className = "read";
    return {figure, data, svg, read, line};
  });
  if (!charts.length) return;
  const all = charts[0].data.span;
  let span = all.slice();

  const clock = (seconds) => {
    const whole = Math.round(seconds), two = (n) => String(n).padStart(2, "0");
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole % 3600 / 60);
    return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}`
      : `${minutes}:${two(whole % 60)}`;
  };
  const round = (least) => {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((n) => power * n >= least * 0.999);
  };
  const show = (value, unit) => `${Number(value.toPrecision(4))} ${unit}`;

  const draw = ({data, svg}) => {
    const {left, top, width, height} = data.plot;
    const x = (t) => left + (t - span[0]) / (span[1] - span[0]) * width;
    // The axis at the left, and that at the right where there is one.
    const sides = data.sides.map(({zero, range}, side) => {
      let low = Infinity, high = -Infinity;
      for (const curve of data.curves.filter((one) => one.side === side)) {
        for (let i = 0; i < curve.x.length; i++) {
          if (curve.x[i] < span[0] || curve.x[i] > span[1] || curve.m[i] === null) continue;
          low = Math.min(low, curve.l ? curve.l[i] : curve.m[i]);
          high = Math.max(high, curve.h ? curve.h[i] : curve.m[i]);
        }
      }
      if (low > high) [low, high] = range;
      if (zero) low = Math.min(0, low);
      const room = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
      high += room;
      if (!(zero && low === 0)) low -= room;
      return {low, high, y: (v) => top + height - (v - low) / (high - low) * height};
    });

    const curves = [];
    for (const curve of data.curves) {
      const {y} = sides[curve.side];
      let path = "", band = "", run = [];
      const close = () => {
        if (curve.l && run.length > 1) {
          band += "M" + run.map((i) => `${x(curve.x[i])} ${y(curve.h[i])}`).join("L")
            + "L" + run.reverse().map((i) => `${x(curve.x[i])} ${y(curve.l[i])}`).join("L")
            + "Z";
        }
        run = [];
      };
      for (let i = 0; i < curve.x.length; i++) {
        const outside = curve.x[i + 1] < span[0] || curve.x[i - 1] > span[1];
        if (curve.m[i] === null || outside) { close(); continue; }
        path += `${run.length ? "L" : "M"}${x(curve.x[i])} ${y(curve.m[i])}`;
        const alone = !run.length && (i + 1 >= curve.x.length || curve.m[i + 1] === null);
        if (alone) path += "h0.01";
        run.push(i);
      }
      close();
      if (band) curves.push(`<path d="${band}" fill="${curve.colour}" fill-opacity="0.25"/>`);
      curves.push(`<path d="${path}" fill="none" stroke="${curve.colour}" stroke-width="1.1"`
        + ` stroke-linecap="round"${curve.dashes ? ' stroke-dasharray="5 3"' : ""}/>`);
    }
    svg.querySelector(".curves").innerHTML = curves.join("");

    const axes = [];
    sides.forEach(({low, high, y}, side) => {
      const step = round((high - low) / 4);
      const places = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
      for (let n = Math.ceil(low / step); n * step <= high; n++) {
        const at = y(n * step), text = (n * step).toFixed(places).replace(".", data.point);
        axes.push(side
          ? `<path d="M${left + width} ${at}h4" stroke="#7a8794"/>`
            + `<text x="${left + width + 7}" y="${at + 4}" fill="#55616e">${text}</text>`
          : `<path d="M${left} ${at}h${width}" stroke="#dfe4ea"/><text x="${left - 6}"`
            + ` y="${at + 4}" text-anchor="end" fill="#55616e">${text}</text>`);
      }
    });
    const least = (span[1] - span[0]) / 9;
    const every = STEPS.find((n) => n >= least) || 86400 * Math.ceil(least / 86400);
    for (let t = Math.ceil(span[0] / every) * every; t < span[1]; t += every) {
      axes.push(`<path d="M${x(t)} ${top}v${height}" stroke="#dfe4ea"/><text x="${x(t)}"`
        + ` y="${top + height + 15}" text-anchor="middle" fill="#55616e">${clock(t)}</text>`);
    }
    axes.push(`<path d="M${left} ${top}v${height}h${width}`
      + `${sides.length > 1 ? `v${-height}` : ""}" fill="none" stroke="#7a8794"/>`);
    svg.querySelector(".axes").innerHTML = axes.join("");

    const place = (element, start, end, inset) => {
      const from = Math.max(left, x(start)), to = Math.min(left + width, x(end));
      element.setAttribute("x", from + inset);
      element.setAttribute("width", Math.max(0, to - from - 2 * inset));
    };
    const ground = svg.querySelectorAll(".windows rect");
    [...data.windows, ...data.gaps].forEach(([a, b], n) => place(ground[n], a, b, 0));
    const boxes = svg.querySelectorAll(".steps rect");
    const names = svg.querySelectorAll(".steps > text");
    boxes.forEach((box, n) => {
      const [label, start, end] = data.steps[n];
      place(box, start, end, 1);
      const letters = Math.floor((Number(box.getAttribute("width")) - 6) / 6.2);
      names[n].setAttribute("x", Number(box.getAttribute("x")) + 4);
      names[n].textContent = label.length <= letters ? label
        : letters > 3 ? label.slice(0, letters - 1) + "\u2026" : "";
    });
  };

  const point = ({svg, data}, event) => {
    const box = svg.getBoundingClientRect(), {left, width} = data.plot;
    const across = (event.clientX - box.left) / box.width * data.width;
    return span[0] + (across - left) / width * (span[1] - span[0]);
  };
  const zoom = (start, end) => {
    const least = Math.max(1e-3, (all[1] - all[0]) / 1e5);
    const size = Math.min(all[1] - all[0], Math.max(least, end - start));
    start = Math.min(Math.max(all[0], start), all[1] - size);
    span = [start, start + size];
    charts.forEach(draw);
  };
  const tell = (t) => {
    for (const {data, svg, read, line} of charts) {
      const {left, top, width, height} = data.plot;
      const at = left + (t - span[0]) / (span[1] - span[0]) * width;
      const inside = t >= span[0] && t <= span[1];
      line.setAttribute("d", inside ? `M${at} ${top}v${height}` : "");
      const lines = [clock(t)];
      for (const curve of data.curves.slice(0, 8)) {
        let a = 0, b = curve.x.length - 1;
        while (b - a > 1) {
          const middle = (a + b) >> 1;
          if (curve.x[middle] < t) a = middle; else b = middle;
        }
        const near = t - curve.x[a] <= curve.x[b] - t ? a : b;
        const reach = Math.max(1.5, Math.min(30, curve.x[b] - curve.x[a]));
        const value = Math.abs(curve.x[near] - t) <= reach ? curve.m[near] : null;
        lines.push(`${curve.name}: ${value === null ? "-"
          : show(value, data.sides[curve.side].unit).replace(".", data.point)}`
          + (value !== null && curve.l
            ? ` (${show(curve.l[near], "").trim()} to ${show(curve.h[near], "").trim()})`
            : ""));
      }
      read.textContent = lines.join("\n");
      read.style.display = inside ? "block" : "none";
      const share = (at / data.width) * svg.getBoundingClientRect().width;
      const right = at > data.width * 0.7;
      read.style.left = right ? "auto" : `${share + 10}px`;
      read.style.right = right
        ? `${svg.getBoundingClientRect().width - share + 10}px` : "auto";
    }
  };

  let dragged = null;
  for (const chart of charts) {
    const {svg} = chart;
    svg.style.touchAction = "pan-y";
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const t = point(chart, event), factor = event.deltaY > 0 ? 1.25 : 0.8;
      zoom(t - (t - span[0]) * factor, t + (span[1] - t) * factor);
      tell(t);
    }, {passive: false});
    svg.addEventListener("pointerdown", (event) => {
      dragged = {t: point(chart, event)};
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointerup", () => { dragged = null; });
    svg.addEventListener("pointermove", (event) => {
      const t = point(chart, event);
      if (dragged) zoom(span[0] + dragged.t - t, span[1] + dragged.t - t);
      tell(point(chart, event));
    });
    svg.addEventListener("pointerleave", () => charts.forEach(({read, line}) => {
      read.style.display = "none";
      line.setAttribute("d", "");
    }));
    svg.addEventListener("dblclick", () => zoom(...all));
  }
})();
