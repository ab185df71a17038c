// Browsers refuse workers to pages that are read from a folder. There the search's worker runs in a
// hidden frame instead, which takes and gives messages as a worker does.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.waiting = [];
      const tell = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      this.inner.postMessage = (data) => setTimeout(tell, 0, data);
      const script = this.inner.document.createElement("script");
      script.src = url;
      script.onload = () => {
        this.ready = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      this.inner.document.body.append(script);
    }

    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data);
      setTimeout(() => {
        const message = new MessageEvent("message", { data });
        this.inner.dispatchEvent(message);
        if (this.inner.onmessage) this.inner.onmessage(message);
      }, 0);
    }

    terminate() {}
  };
}
