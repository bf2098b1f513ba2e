/* The search of the site from files: browsers refuse workers at file://, so the worker's script runs in a hidden frame.

   A Worker takes messages by postMessage and answers by "message" events; inside, `importScripts` loads further
   scripts, one after the other.  Frames without a source of their own have the origin of the page. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.waiting = []
      document.documentElement.append(this.frame)
      const inside = this.frame.contentWindow
      const base = new URL(url, location.href).href
      const load = source => new Promise((done, failed) => {
        const script = inside.document.createElement("script")
        script.src = new URL(source, base)
        script.onload = done
        script.onerror = failed
        inside.document.head.append(script)
      })
      inside.importScripts = (...sources) => sources.reduce((before, s) => before.then(() => load(s)), Promise.resolve())
      inside.postMessage = data => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      this.ready = load(base)
    }
    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow
        inside.dispatchEvent(new inside.MessageEvent("message", { data }))
      })
    }
    terminate() { this.frame.remove() }
  }
