"use strict";
(() => {
  const KINDS = { g: "GPU", l: "CPU, left out", r: "CPU, refused", u: "not created" };
  const SVG = "http://www.w3.org/2000/svg";
  const STEP = 300;

  // Theme: the system's until the reader says otherwise.
  const theme = document.getElementById("theme");
  const root = document.documentElement;
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const showTheme = () => {
    theme.setAttribute("aria-pressed", String(dark()));
  };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    showTheme();
  });
  showTheme();

  // Text from a model only ever becomes text: no markup is built from it.
  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const drawn = (tag, attributes, text) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const cut = (text, most) => (text.length > most ? "…" + text.slice(1 - most) : text);
  const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  for (const article of document.querySelectorAll("article.model")) {
    const holder = article.querySelector("script.data");
    if (holder) enliven(article, JSON.parse(holder.textContent));
  }

  function enliven(article, data) {
    if (!data) return;
    const graphs = new Map(data.g.map((graph) => [graph.i, graph]));
    const refusals = new Map();
    for (const [message, spots] of data.m) {
      for (const [graph, index] of spots) {
        const key = graph + "/" + index;
        const known = refusals.get(key);
        refusals.set(key, known ? known + " | " + message : message);
      }
    }
    // The last strip of a subgraph is that of its newest release.
    const codes = new Map(data.s.map((strip) => [strip.g, strip.c]));
    const tensor = (graph, id) => (id < 0 ? ["(absent)", -1] : graph.t[id]);
    const kind = (graph, id) => (id < 0 ? "" : data.w[graph.t[id][1]]);
    const name = (graph, index) => data.w[graph.ops[index][0]];

    data.s.forEach((strip, number) => {
      const figure = article.querySelector(`[data-strip="${number}"]`);
      if (figure && graphs.has(strip.g)) inspectable(figure, strip);
    });

    function inspectable(figure, strip) {
      const bar = figure.querySelector(".bar");
      const said = figure.querySelector(".inspect");
      const graph = graphs.get(strip.g);
      const count = strip.c.length;
      if (!count) return;
      let at = 0;
      const cursor = element("div", undefined, "cursor");
      cursor.hidden = true;
      bar.append(cursor);
      bar.tabIndex = 0;
      for (const [key, value] of [
        ["role", "slider"],
        ["aria-label", `Operators on ${strip.r}`],
        ["aria-valuemin", "0"],
        ["aria-valuemax", String(count - 1)],
      ])
        bar.setAttribute(key, value);
      const show = (index, loud) => {
        at = Math.max(0, Math.min(count - 1, index));
        const place = strip.g + "/" + at;
        const out = graph.ops[at][3][0];
        const why = strip.c[at] === "r" ? refusals.get(place) : "";
        const text =
          `${place} ${name(graph, at)}: ${KINDS[strip.c[at]]}` +
          (why ? ` (${why})` : "") +
          (out === undefined ? "" : `, gives ${tensor(graph, out)[0]} ${kind(graph, out)}`);
        bar.setAttribute("aria-valuenow", String(at));
        bar.setAttribute("aria-valuetext", text);
        if (loud) {
          cursor.hidden = false;
          cursor.style.left = `calc(${((at + 0.5) / count) * 100}% - 1px)`;
          said.textContent = text;
        }
      };
      show(0, false);
      bar.addEventListener("pointermove", (event) => {
        const box = bar.getBoundingClientRect();
        show(Math.floor(((event.clientX - box.left) / box.width) * count), true);
      });
      bar.addEventListener("focus", () => show(at, true));
      bar.addEventListener("keydown", (event) => {
        const moves = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 25, PageDown: -25, Home: -count, End: count };
        if (event.key in moves) {
          event.preventDefault();
          show(at + moves[event.key], true);
        } else if (event.key === "n" || event.key === "N") {
          // To the next operator that is not on the GPU.
          for (let step = 1; step <= count; step += 1) {
            if (strip.c[(at + step) % count] !== "g") {
              show((at + step) % count, true);
              break;
            }
          }
        }
      });
    }

    // Neighbourhoods: producers, the operator, consumers.
    const producers = new Map();
    const consumers = new Map();
    for (const graph of data.g) {
      const made = new Map();
      const read = new Map();
      graph.ops.forEach((op, index) => {
        for (const id of op[3]) if (id >= 0) made.set(id, index);
        for (const id of op[2]) if (id >= 0) read.set(id, [...(read.get(id) || []), index]);
      });
      producers.set(graph.i, made);
      consumers.set(graph.i, read);
    }

    function neighbourhood(place) {
      const [subgraph, index] = place.split("/").map(Number);
      const graph = graphs.get(subgraph);
      if (!graph || !graph.ops[index]) return null;
      const [, , inputs, outputs] = graph.ops[index];
      const left = inputs.filter((id) => id >= 0).slice(0, 5).map((id) => {
        const from = producers.get(subgraph).get(id);
        const constant = graph.t[id][2] === 1;
        return { op: from === undefined ? (constant ? "constant" : "graph input") : `${from} ${name(graph, from)}`, at: from, id };
      });
      const right = [];
      for (const id of outputs) {
        const readers = id < 0 ? [] : consumers.get(subgraph).get(id) || [];
        for (const reader of readers.slice(0, 4)) right.push({ op: `${reader} ${name(graph, reader)}`, at: reader, id });
        if (!readers.length && id >= 0) right.push({ op: "graph output", at: undefined, id });
      }
      right.splice(5);
      const rows = Math.max(left.length, right.length, 1);
      const height = rows * 54 + 10;
      const svg = drawn("svg", { viewBox: `0 0 860 ${height}`, width: 860, height, role: "img" });
      svg.append(drawn("title", {}, `${place} ${name(graph, index)} between its producers and consumers`));
      const box = (x, y, entry, me) => {
        const code = entry.at === undefined ? "" : (codes.get(subgraph) || "")[entry.at] || "";
        svg.append(drawn("rect", { x, y, width: 210, height: 44, rx: 6, class: `${me ? "me " : ""}${code}` }));
        svg.append(drawn("text", { x: x + 10, y: y + 18 }, shorten(entry.op, 27)));
        svg.append(drawn("text", { x: x + 10, y: y + 35, class: "dim" }, cut(entry.note, 30)));
      };
      const middle = height / 2 - 22;
      const spread = (entries, x, edge) => {
        const top = (height - entries.length * 54) / 2;
        entries.forEach((entry, row) => {
          const y = top + row * 54 + 5;
          entry.note = `${tensor(graph, entry.id)[0]} ${kind(graph, entry.id)}`;
          const [from, to] = edge === "in" ? [[x + 210, y + 22], [325, middle + 22]] : [[535, middle + 22], [x, y + 22]];
          const bend = (from[0] + to[0]) / 2;
          svg.append(drawn("path", { d: `M${from[0]} ${from[1]}C${bend} ${from[1]} ${bend} ${to[1]} ${to[0]} ${to[1]}` }));
          box(x, y, entry, false);
        });
      };
      spread(left, 5, "in");
      spread(right, 645, "out");
      const out = outputs[0];
      box(325, middle, { op: `${index} ${name(graph, index)}`, at: index, note: out === undefined ? "" : kind(graph, out) }, true);
      return svg;
    }

    for (const holder of article.querySelectorAll(".drawing")) {
      const draw = () => {
        if (!holder.firstChild) {
          const svg = neighbourhood(holder.dataset.place);
          if (svg) holder.append(svg);
        }
      };
      const finding = holder.closest("details.finding");
      if (finding.open) draw();
      finding.addEventListener("toggle", draw);
      addEventListener("beforeprint", draw);
    }
    for (const button of article.querySelectorAll("button.spot")) {
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => {
        const item = button.parentElement;
        const open = item.querySelector(".drawing");
        button.setAttribute("aria-expanded", String(!open));
        if (open) return open.remove();
        const svg = neighbourhood(button.dataset.place);
        const holder = element("div", undefined, "drawing");
        if (svg) holder.append(svg);
        item.append(holder);
      });
    }

    // The operator table: all rows are in memory, a screenful and more in the page.
    const rows = [];
    for (const graph of data.g) {
      graph.ops.forEach((op, index) => {
        const place = graph.i + "/" + index;
        const code = (codes.get(graph.i) || "")[index] || "u";
        const shown = (ids) => ids.map((id) => (id < 0 ? "-" : `${tensor(graph, id)[0]} ${kind(graph, id)}`)).join(", ");
        rows.push([graph.i * 1e7 + index, place, data.w[op[0]], op[1], code, refusals.get(place) || "", shown(op[2]), shown(op[3])]);
      });
    }
    const table = article.querySelector("table.ops");
    const body = table.tBodies[0];
    const tools = article.querySelector(".tools");
    const filter = tools.querySelector(".filter");
    const only = tools.querySelector(".only");
    const count = tools.querySelector(".count");
    tools.hidden = false;
    let order = [0, 1];
    let limit = STEP;
    let kept = rows;
    const heads = [["place", 0], ["operator", 2], ["version", 3], ["runs on", 4], ["inputs", 6], ["outputs", 7]].map(([title, column]) => {
      const head = element("th");
      head.scope = "col";
      const button = element("button", title);
      button.type = "button";
      button.addEventListener("click", () => {
        order = [column, order[0] === column ? -order[1] : 1];
        refresh();
      });
      head.append(button);
      table.tHead.rows[0].append(head);
      return [head, column];
    });
    function refresh() {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      kept = rows.filter(
        (row) => (!only.checked || row[4] !== "g") && words.every((word) => row.slice(1).join(" ").toLowerCase().includes(word)),
      );
      const [column, way] = order;
      if (column || way < 0)
        kept.sort((a, b) => (a[column] < b[column] ? -way : a[column] > b[column] ? way : a[0] - b[0]));
      for (const [head, own] of heads) head.setAttribute("aria-sort", own === column ? (way > 0 ? "ascending" : "descending") : "none");
      count.textContent = `${kept.length} of ${rows.length}`;
      limit = STEP;
      fill(true);
    }
    function fill(fresh) {
      if (fresh) body.replaceChildren();
      const start = body.rows.length;
      const part = document.createDocumentFragment();
      for (const row of kept.slice(start, limit)) {
        const line = element("tr");
        const place = element("th", row[1]);
        place.scope = "row";
        line.append(place, element("td", row[2]), element("td", String(row[3]), "num"));
        const where = element("td");
        where.append(element("span", KINDS[row[4]], "place " + row[4]));
        if (row[5]) where.append(element("br"), element("small", row[5]));
        line.append(where, element("td", row[6]), element("td", row[7]));
        part.append(line);
      }
      body.append(part);
      const more = article.querySelector(".more");
      if (more) more.remove();
      if (kept.length > limit) {
        const button = element("button", `Show ${Math.min(STEP, kept.length - limit)} more of ${kept.length - limit}`, "more");
        button.type = "button";
        button.addEventListener("click", () => {
          limit += STEP;
          fill(false);
        });
        table.parentElement.after(button);
      }
    }
    filter.addEventListener("input", refresh);
    only.addEventListener("change", refresh);
    refresh();
  }
})();
