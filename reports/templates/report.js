"use strict";
(() => {
  const KINDS = { g: "GPU", l: "CPU, left out", r: "CPU, refused", u: "not known" };
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
  // Text between backticks is code, as the page's own advice is written.
  const coded = (text) => {
    const made = document.createDocumentFragment();
    const parts = text.split("`");
    parts.forEach((part, number) => made.append(parts.length % 2 && number % 2 ? element("code", part) : part));
    return made;
  };
  const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const tail = (text, most) => (text.length > most ? "…" + text.slice(1 - most) : text);

  // Each article comes to life when it is first shown: a page may hold hundreds of models.
  const alive = new WeakSet();
  function wake(article) {
    if (alive.has(article)) return;
    alive.add(article);
    const holder = article.querySelector("script.data");
    const data = holder && JSON.parse(holder.textContent);
    if (data) enliven(article, data);
  }

  const articles = [...document.querySelectorAll("article.model")];
  const index = document.getElementById("index");
  if (!index) articles.forEach(wake);
  else browse();

  // Several models: the index, or one of them, as the address says.
  function browse() {
    const back = document.querySelector(".back");
    const show = (moved) => {
      const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const chosen = aim && aim.closest("article.model");
      index.hidden = Boolean(chosen);
      back.hidden = !chosen;
      for (const article of articles) article.hidden = article !== chosen;
      if (chosen) wake(chosen);
      if (!moved) return;
      const top = chosen === aim || !chosen;
      if (top) scrollTo(0, 0);
      else aim.scrollIntoView();
      const title = (chosen || index).querySelector("[tabindex='-1']");
      if (top && title) title.focus({ preventScroll: true });
    };
    addEventListener("hashchange", () => show(true));
    show(Boolean(location.hash));

    const tools = index.querySelector(".tools");
    const lines = [...index.querySelectorAll("tbody tr")].map((row) => {
      const article = document.getElementById(row.querySelector("a").hash.slice(1));
      const rules = [...article.querySelectorAll(".card summary, .changes")].map((part) => part.textContent);
      return [row, [row.textContent, ...rules].join(" ").toLowerCase()];
    });
    tools.hidden = lines.length < 6;
    tools.querySelector(".find").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const [row, text] of lines) {
        row.hidden = !words.every((word) => text.includes(word));
        left += row.hidden ? 0 : 1;
      }
      tools.querySelector(".found").textContent = `${left} of ${lines.length}`;
    });
  }

  // A link to a folded finding unfolds it.
  const unfold = () => {
    const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (aim && aim.tagName === "DETAILS") aim.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  // On paper everything is unfolded.
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("article:not([hidden]) details")) part.open = true;
  });

  function enliven(article, data) {
    const graphs = new Map(data.g.map((graph) => [graph.i, graph]));
    const newest = data.r.length - 1;
    let release = newest;
    let picked = null;
    let codes = new Map();
    let refusals = new Map();
    const tensor = (graph, id) => (id < 0 ? ["(absent)", -1] : graph.t[id]);
    const kind = (graph, id) => (id < 0 ? "" : data.w[graph.t[id][1]]);
    const name = (graph, at) => data.w[graph.ops[at][0]];

    const found = new Map();
    for (const [rule, spots] of data.f)
      for (const [graph, at] of spots) {
        const key = graph + "/" + at;
        found.set(key, found.has(key) ? found.get(key) + ", " + rule : rule);
      }
    function settle() {
      codes = new Map(data.s.filter((strip) => strip.r.includes(release)).map((strip) => [strip.g, strip.c]));
      refusals = new Map();
      for (const [message, releases, spots] of data.m)
        if (releases.includes(release)) for (const [graph, at] of spots) refusals.set(graph + "/" + at, message);
    }
    settle();

    // The reader may choose one release: what does not hold there goes away.
    for (const head of article.querySelectorAll("[data-pick]")) {
      const button = element("button", head.textContent);
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.title = "Show only what holds on " + head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => pick(picked === head.dataset.pick ? null : head.dataset.pick));
    }
    function pick(choice) {
      picked = choice;
      release = choice === null ? newest : Number(choice);
      settle();
      for (const button of article.querySelectorAll("[data-pick] button"))
        button.setAttribute("aria-pressed", String(button.parentElement.dataset.pick === choice));
      for (const part of article.querySelectorAll("[data-on]"))
        part.hidden = choice !== null && !part.dataset.on.split(" ").includes(choice);
      article.querySelector(".picked").replaceChildren(
        ...(choice === null ? [] : [coded(data.v[release] + " "), element("small", "Below: only what holds there.")]),
      );
      for (const holder of article.querySelectorAll(".drawing")) holder.replaceChildren();
      article.querySelectorAll(".drawing").forEach(draw);
      list();
    }

    data.s.forEach((strip, number) => {
      const figure = article.querySelector(`[data-strip="${number}"]`);
      if (figure && graphs.has(strip.g)) inspectable(figure, strip);
    });
    for (const hint of article.querySelectorAll(".hint")) hint.hidden = false;

    function inspectable(figure, strip) {
      const bar = figure.querySelector(".bar");
      const said = figure.querySelector(".inspect");
      const graph = graphs.get(strip.g);
      const count = strip.c.length;
      const messages = new Map();
      for (const [message, releases, spots] of data.m)
        if (releases.includes(strip.r[strip.r.length - 1]))
          for (const [owner, spot] of spots) if (owner === strip.g) messages.set(spot, message);
      if (!count) return;
      let at = 0;
      const cursor = element("div", undefined, "cursor");
      cursor.hidden = true;
      bar.append(cursor);
      bar.tabIndex = 0;
      for (const [key, value] of [
        ["role", "slider"],
        ["aria-label", `Operators on ${strip.r.map((each) => data.r[each]).join(", ")}`],
        ["aria-valuemin", "0"],
        ["aria-valuemax", String(count - 1)],
      ])
        bar.setAttribute(key, value);
      const show = (position, loud) => {
        at = Math.max(0, Math.min(count - 1, position));
        const out = graph.ops[at][3][0];
        const why = messages.get(at);
        const text =
          `${strip.g}/${at} ${name(graph, at)}: ${KINDS[strip.c[at]]}` +
          (strip.c[at] === "r" && why ? ` (${why})` : "") +
          (out === undefined ? "" : `, gives ${tensor(graph, out)[0]} ${kind(graph, out)}`);
        bar.setAttribute("aria-valuenow", String(at));
        bar.setAttribute("aria-valuetext", text);
        if (loud) {
          cursor.hidden = false;
          cursor.style.left = `calc(${((at + 0.5) / count) * 100}% - 1px)`;
          said.textContent = text;
        }
      };
      const open = () => {
        let holder = figure.querySelector(".drawing");
        const place = strip.g + "/" + at;
        if (!holder) figure.append((holder = element("div", undefined, "drawing")));
        else if (holder.dataset.place === place) return holder.remove();
        holder.dataset.place = place;
        holder.replaceChildren();
        draw(holder);
      };
      show(0, false);
      bar.addEventListener("pointermove", (event) => {
        const box = bar.getBoundingClientRect();
        show(Math.floor(((event.clientX - box.left) / box.width) * count), true);
      });
      bar.addEventListener("click", open);
      bar.addEventListener("focus", () => show(at, true));
      bar.addEventListener("keydown", (event) => {
        const moves = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 25, PageDown: -25, Home: -count, End: count };
        if (event.key in moves) {
          event.preventDefault();
          show(at + moves[event.key], true);
        } else if (event.key === "Enter") {
          open();
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

    // Neighbourhoods: producers, the operator, consumers; beside each other, or below where there is no room.
    const producers = new Map();
    const consumers = new Map();
    for (const graph of data.g) {
      const made = new Map();
      const read = new Map();
      graph.ops.forEach((op, at) => {
        for (const id of op[3]) if (id >= 0) made.set(id, at);
        for (const id of op[2])
          if (id >= 0) {
            if (!read.has(id)) read.set(id, []);
            read.get(id).push(at);
          }
      });
      producers.set(graph.i, made);
      consumers.set(graph.i, read);
    }

    function neighbours(graph, at) {
      const [, , inputs, outputs] = graph.ops[at];
      const note = (id) => `${tensor(graph, id)[0]} ${kind(graph, id)}`;
      const before = inputs.filter((id) => id >= 0).slice(0, 5).map((id) => {
        const from = producers.get(graph.i).get(id);
        const constant = graph.t[id][2] === 1;
        const op = from === undefined ? (constant ? "constant" : "graph input") : `${from} ${name(graph, from)}`;
        return { op, at: from, note: note(id), constant };
      });
      const after = [];
      for (const id of outputs) {
        const readers = id < 0 ? [] : consumers.get(graph.i).get(id) || [];
        for (const reader of readers.slice(0, 4)) after.push({ op: `${reader} ${name(graph, reader)}`, at: reader, note: note(id) });
        if (readers.length > 4) after.push({ op: `and ${readers.length - 4} more`, note: note(id) });
        if (!readers.length && id >= 0) after.push({ op: "graph output", note: note(id) });
      }
      const out = outputs[0];
      return [before, { op: `${at} ${name(graph, at)}`, at, note: out === undefined ? "" : kind(graph, out), me: true }, after.slice(0, 6)];
    }

    function neighbourhood(place, tall) {
      const [subgraph, at] = place.split("/").map(Number);
      const graph = graphs.get(subgraph);
      if (!graph || !graph.ops[at]) return null;
      const [before, me, after] = neighbours(graph, at);
      const [wide, high, gap] = [tall ? 310 : 250, 44, 10];
      const rows = tall ? before.length + 1 + after.length : Math.max(before.length, after.length, 1);
      const height = rows * (high + gap) + gap;
      const width = tall ? 340 : 960;
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
      svg.append(drawn("title", {}, `${place} ${me.op} between its producers and consumers`));
      const box = (x, y, entry) => {
        const code = entry.at === undefined ? "" : (codes.get(subgraph) || "")[entry.at] || "";
        const look = [entry.me ? "me" : "", entry.constant ? "constant" : "", code].filter(Boolean).join(" ");
        svg.append(drawn("rect", { x, y, width: wide, height: high, rx: 6, class: look }));
        svg.append(drawn("text", { x: x + 10, y: y + 18 }, shorten(entry.op, 30)));
        svg.append(drawn("text", { x: x + 10, y: y + 35, class: "dim" }, tail(entry.note, tall ? 44 : 34)));
      };
      const edge = (from, to) => {
        const bend = (from[0] + to[0]) / 2;
        svg.append(drawn("path", { d: tall ? `M${from[0]} ${from[1]}H8V${to[1]}H${to[0]}` : `M${from[0]} ${from[1]}C${bend} ${from[1]} ${bend} ${to[1]} ${to[0]} ${to[1]}` }));
      };
      const column = (count, row) => (height - count * (high + gap) + gap) / 2 + row * (high + gap);
      const spot = (group, count, row) =>
        tall
          ? [24, gap + (row + [0, before.length, before.length + 1][group]) * (high + gap)]
          : [[2, (width - wide) / 2, width - wide - 2][group], column(count, row)];
      const [x, y] = spot(1, 1, 0);
      before.forEach((entry, row) => {
        const [left, top] = spot(0, before.length, row);
        edge([tall ? left : left + wide, top + high / 2], [x, y + high / 2]);
        box(left, top, entry);
      });
      after.forEach((entry, row) => {
        const [left, top] = spot(2, after.length, row);
        edge([tall ? x : x + wide, y + high / 2], [left, top + high / 2]);
        box(left, top, entry);
      });
      box(x, y, me);
      return svg;
    }

    function draw(holder) {
      const finding = holder.closest("details");
      if (holder.firstChild || (finding && !finding.open) || holder.closest("[hidden]")) return;
      const svg = neighbourhood(holder.dataset.place, root.clientWidth < 700);
      if (svg) holder.append(svg);
    }
    for (const finding of article.querySelectorAll("details.card"))
      finding.addEventListener("toggle", () => finding.querySelectorAll(".drawing").forEach(draw));
    article.querySelectorAll(".drawing").forEach(draw);
    addEventListener("beforeprint", () => article.querySelectorAll(".drawing").forEach(draw));

    // Another place of a finding: its operands and its neighbourhood take the place of the first one's.
    for (const button of article.querySelectorAll("button.spot")) {
      button.addEventListener("click", () => {
        const variant = button.closest(".variant");
        for (const other of variant.querySelectorAll("button.spot")) other.setAttribute("aria-pressed", String(other === button));
        const panel = variant.querySelector(".place");
        const [subgraph, at] = button.dataset.place.split("/").map(Number);
        const graph = graphs.get(subgraph);
        if (!panel || !graph) return;
        for (const said of panel.querySelectorAll(":scope > p")) said.remove();
        for (const text of [button.dataset.advice, button.dataset.said])
          if (text) {
            const line = element("p");
            line.append(coded(text));
            panel.prepend(line);
          }
        const table = panel.querySelector("table");
        table.tHead.rows[0].cells[0].textContent = `${button.dataset.place} ${name(graph, at)}`;
        table.tBodies[0].replaceChildren(
          ...[["input", 2], ["output", 3]].flatMap(([role, column]) =>
            graph.ops[at][column].flatMap((id, number) => {
              if (id < 0) return [];
              const row = element("tr");
              const cell = element("td");
              cell.append(element("code", tensor(graph, id)[0]));
              const constant = graph.t[id][2] === 1 ? ", constant" : "";
              row.append(cell, element("td", kind(graph, id)), element("td", `${role} ${number}${constant}`));
              return [row];
            }),
          ),
        );
        const holder = panel.querySelector(".drawing");
        holder.dataset.place = button.dataset.place;
        holder.replaceChildren();
        draw(holder);
      });
    }

    // The table of operators: all rows are in memory, a screenful and more in the page.
    const operands = (graph, ids) => ids.map((id) => (id < 0 ? "-" : `${tensor(graph, id)[0]} ${kind(graph, id)}`)).join(", ");
    let rows = [];
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
    const heads = [["place", 0], ["operator", 2], ["runs on", 3], ["findings", 5], ["inputs", 6], ["outputs", 7]].map(([title, column]) => {
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
    function list() {
      rows = data.g.flatMap((graph) =>
        graph.ops.map((op, at) => {
          const place = graph.i + "/" + at;
          const code = (codes.get(graph.i) || "")[at] || "u";
          const row = [graph.i * 1e7 + at, place, data.w[op[0]], code, refusals.get(place) || "", found.get(place) || "", operands(graph, op[2]), operands(graph, op[3])];
          row.push([place, row[2], KINDS[code], ...row.slice(4)].join(" ").toLowerCase(), graph, op);
          return row;
        }),
      );
      heads[2][0].firstChild.textContent = data.r.length > 1 ? `runs on (${data.r[release]})` : "runs on";
      refresh();
    }
    function refresh() {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      kept = rows.filter((row) => (!only.checked || row[3] !== "g") && words.every((word) => row[8].includes(word)));
      const [column, way] = order;
      if (column || way < 0)
        kept.sort((a, b) => (a[column] < b[column] ? -way : a[column] > b[column] ? way : a[0] - b[0]));
      for (const [head, own] of heads) head.setAttribute("aria-sort", own === column ? (way > 0 ? "ascending" : "descending") : "none");
      count.textContent = `${kept.length} of ${rows.length}`;
      limit = STEP;
      fill(true);
    }
    function cells(graph, ids) {
      const cell = element("td");
      for (const id of ids) {
        if (id < 0) continue;
        const constant = graph.t[id][2] === 1;
        cell.append(element("span", `${tensor(graph, id)[0]} ${kind(graph, id)}`, constant ? "operand c" : "operand"));
      }
      return cell;
    }
    function fill(fresh) {
      if (fresh) body.replaceChildren();
      const part = document.createDocumentFragment();
      for (const row of kept.slice(body.rows.length, limit)) {
        const line = element("tr");
        const place = element("th", row[1]);
        place.scope = "row";
        const op = element("td", row[2]);
        if (row[10][1] !== 1) op.append(element("small", ` version ${row[10][1]}`));
        const where = element("td");
        where.append(element("span", KINDS[row[3]], "where " + row[3]));
        if (row[4]) where.append(element("br"), element("small", row[4]));
        const rules = element("td");
        if (row[5]) rules.append(element("code", row[5]));
        line.append(place, op, where, rules, cells(row[9], row[10][2]), cells(row[9], row[10][3]));
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
    list();
  }

  // "/" goes to the filter of what is shown.
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
    const shown = [...document.querySelectorAll("input[type='search']")].find((box) => box.checkVisibility());
    if (!shown) return;
    event.preventDefault();
    shown.focus();
  });
})();
