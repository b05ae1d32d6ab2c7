// <tril-figure src=".../embed/average/three/#?show=sums">: a figure of Tril in any page, as high as it is. What stands in
// the element is seen until the figure is there. `theme` is "light" or "dark"; without it, dark where the text around is light.
{
  const style = new CSSStyleSheet();
  style.replaceSync(
    ':host { display: block } iframe { display: block; width: 100%; height: 480px; border: 0 } ' +
      ':host([hidden]), slot.over { display: none }',
  );
  const ink = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

  /** Of any colour that CSS can write. */
  const isLight = (colour) => {
    ink.clearRect(0, 0, 1, 1);
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 1, 1);
    const [red, green, blue] = ink.getImageData(0, 0, 1, 1).data;
    return 0.3 * red + 0.6 * green + 0.1 * blue > 128;
  };

  class TrilFigure extends HTMLElement {
    static observedAttributes = ['src', 'theme'];
    #frame = document.createElement('iframe');
    #slot = document.createElement('slot');
    #theme = '';
    #stop = null;

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [style];
      this.#frame.loading = 'lazy';
      this.#frame.allow = 'clipboard-write';
      this.#frame.setAttribute('scrolling', 'no');
      this.#frame.addEventListener('load', () => {
        this.#frame.title = this.textContent.trim() || 'Tril';
      });
      root.append(this.#slot, this.#frame);
    }

    connectedCallback() {
      this.#stop = new AbortController();
      const { signal } = this.#stop;
      const look = () => this.#look();
      addEventListener('message', (event) => this.#hear(event), { signal });
      // Where a page changes its theme, it changes an attribute up there, or the system's has changed.
      const observer = new MutationObserver(look);
      for (const place of [document.documentElement, document.body])
        observer.observe(place, { attributes: true });
      signal.addEventListener('abort', () => observer.disconnect());
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', look, { signal });
      document.addEventListener('transitionend', look, { signal });
      this.#theme = this.#themeNow;
      this.#load();
    }

    disconnectedCallback() {
      this.#stop.abort();
    }

    attributeChangedCallback(name) {
      if (!this.isConnected || !this.#stop) return;
      if (name === 'src') this.#load();
      else this.#look();
    }

    get #themeNow() {
      const wanted = this.getAttribute('theme');
      if (wanted) return wanted;
      return isLight(getComputedStyle(this).color) ? 'dark' : 'light';
    }

    #look() {
      const theme = this.#themeNow;
      if (theme === this.#theme) return;
      this.#theme = theme;
      this.#tell();
    }

    #tell() {
      this.#frame.contentWindow?.postMessage({ type: 'tril-figure', theme: this.#theme }, '*');
    }

    /** Without an entry in the history. */
    #load() {
      const url = new URL(this.getAttribute('src') ?? '', document.baseURI);
      if (!/^https?:$/.test(url.protocol)) return;
      url.searchParams.set('theme', this.#theme);
      const { contentWindow } = this.#frame;
      if (this.#frame.src && contentWindow) contentWindow.location.replace(url);
      else this.#frame.src = url;
    }

    #hear({ source, origin, data }) {
      if (source !== this.#frame.contentWindow || data?.type !== 'tril-figure') return;
      if (origin !== new URL(this.#frame.src).origin || !(data.height > 0)) return;
      // It may have changed while nobody heard.
      if (this.#slot.className !== 'over') this.#tell();
      this.#slot.className = 'over';
      this.#frame.style.height = `${Math.min(data.height, 20000)}px`;
    }
  }

  if (!customElements.get('tril-figure')) customElements.define('tril-figure', TrilFigure);
}
