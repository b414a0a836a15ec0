// Elements from data. Text is only ever text: nothing here, and nothing that uses this, makes markup of a string.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "rect", "path", "line", "title", "g", "text"]);

// What a person cannot see, or what would change how its neighbours look: controls, and marks of direction.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text in which everything can be seen. */
export function visible(text) {
  return String(text).replace(/\r\n/g, "\n").replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);
}

/**
 * An element. `props` are attributes; `on…` are listeners. Children are elements, texts, or lists of them; null and false
 * are nothing.
 */
export function h(tag, props, ...children) {
  const drawn = DRAWN.has(tag);
  const element = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "href" && !String(value).startsWith("#/")) throw new Error("links lead to views only");
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : visible(child));
  }
}

/** Replaces all that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

/**
 * Makes an element hold these, and keeps every part that is the same: what somebody is about to press stays where it is.
 * Parts are known by their id, else by their place. What listens is kept or replaced as a whole.
 */
export function become(element, ...children) {
  const fresh = element.cloneNode(false);
  add(fresh, children);
  merge(element, fresh);
}

function merge(old, fresh) {
  const named = new Map([...old.childNodes].filter((node) => node.id).map((node) => [node.id, node]));
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const same = node.id ? named.get(node.id) : at && !at.id && at.nodeName === node.nodeName ? at : null;
    const kept = same ? joined(same, node) : node;
    if (kept === at) at = at.nextSibling;
    else old.insertBefore(kept, at);
    if (same && kept !== same) {
      if (at === same) at = same.nextSibling;
      same.remove();
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** The old node as the fresh one is, or the fresh one in its place. */
function joined(old, fresh) {
  if (old.isEqualNode(fresh)) return old;
  if (old.nodeName !== fresh.nodeName || old.nodeName === "BUTTON") return fresh;
  if (!(old instanceof Element)) {
    old.textContent = fresh.textContent;
    return old;
  }
  // What is a whole says in its mark what it is made of.
  if (fresh.dataset?.mark !== undefined) return old.dataset.mark === fresh.dataset.mark ? old : fresh;
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  merge(old, fresh);
  return old;
}

/** A text with what stands in backticks as code. */
export function withCode(text) {
  const parts = String(text).split("`");
  // An odd one at the end is a backtick of its own.
  if (parts.length % 2 === 0) parts.push(`${parts.splice(-2, 1)}\`${parts.pop()}`);
  return parts.map((part, at) => (at % 2 ? h("code", null, part) : part));
}

/** A button that does something, and cannot be pressed twice meanwhile. */
export function button(words, act, props) {
  const element = h("button", { type: "button", ...props }, words);
  element.addEventListener("click", async () => {
    element.disabled = true;
    try { await act(); } finally { element.disabled = false; }
  });
  return element;
}

/** A button that asks once more before it does something. */
export function careful(words, sure, act, props) {
  let asked = false;
  const element = button(words, async () => {
    if (!asked) {
      asked = true;
      element.textContent = sure;
      element.classList.add("sure");
      setTimeout(() => { asked = false; element.textContent = words; element.classList.remove("sure"); }, 6000);
      return;
    }
    await act();
  }, props);
  return element;
}
