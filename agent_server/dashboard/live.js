// @ts-check
/** The live picture: pulls one frame at a time over a WebSocket and paints it on a canvas. */

import { t } from "./languages.js";

const HEADER_BYTES = 32;
/** Close codes whose reason is for people: the phone gives no picture; too many watch already. */
const REASONS = new Set([4000, 4001]);
/** Longest wait in milliseconds before a lost picture is asked for again. */
const LONGEST_RETRY = 15000;
/** With reduced motion two pictures a second are enough to follow. */
const REDUCED_PACE = 500;

export class LivePicture {
  /** @param {HTMLCanvasElement} canvas @param {HTMLElement} note where it says why there is no picture */
  constructor(canvas, note) {
    this.canvas = canvas;
    this.note = note;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.serial = "";
    this.retry = 1000;
    this.timer = 0;
    this.owed = false;
    this.frames = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    document.addEventListener("visibilitychange", () => this.#ask());
  }

  /** Show this phone; an empty serial shows none. @param {string} serial @param {string} name @param {string} [none] */
  watch(serial, name, none = "") {
    this.canvas.setAttribute("aria-label", t("Live screen of {name}", { name: name || serial }));
    if (!serial) this.note.textContent = none;
    if (serial === this.serial) return;
    this.#drop();
    this.serial = serial;
    this.frames = 0;
    this.note.textContent = serial ? t("Waiting for the first picture") : none;
    if (serial) this.#connect();
  }

  #drop() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  #connect() {
    const address = `${location.origin.replace(/^http/, "ws")}/v1/devices/${encodeURIComponent(this.serial)}/live`;
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.owed = false;
    socket.addEventListener("open", () => this.#ask());
    socket.addEventListener("message", (message) => this.#show(socket, message.data));
    socket.addEventListener("close", (event) => this.#lost(socket, event));
  }

  /** Ask for the next picture, unless one is on its way or nobody looks at the page. */
  #ask() {
    if (this.owed || document.hidden || this.socket?.readyState !== WebSocket.OPEN) return;
    this.owed = true;
    this.socket.send("next");
  }

  /** @param {WebSocket} socket @param {ArrayBuffer} message */
  async #show(socket, message) {
    const picture = await createImageBitmap(new Blob([new Uint8Array(message, HEADER_BYTES)], { type: "image/jpeg" }));
    if (socket !== this.socket) return;
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
    }
    this.canvas.getContext("2d")?.drawImage(picture, 0, 0);
    picture.close();
    this.note.textContent = "";
    this.retry = 1000;
    this.frames += 1;
    this.canvas.dataset.frames = String(this.frames);
    this.owed = false;
    if (this.calm.matches) this.timer = window.setTimeout(() => this.#ask(), REDUCED_PACE);
    else requestAnimationFrame(() => this.#ask());
  }

  /** @param {WebSocket} socket @param {CloseEvent} event */
  #lost(socket, event) {
    if (socket !== this.socket) return;
    this.note.textContent = REASONS.has(event.code) && event.reason ? event.reason : t("No live picture. Trying again.");
    this.timer = window.setTimeout(() => this.#connect(), this.retry);
    this.retry = Math.min(this.retry * 2, LONGEST_RETRY);
  }
}
