// Pages that several end-to-end files serve.
const page = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}`;
const escaped = (s) => String(s).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export const form = page(
  'Form',
  `<h1>Sign up</h1>
   <form action="/done" method="get">
     <label>Name <input name="name" id="name"></label>
     <label>Plan <select name="plan" id="plan"><option value="s">Small<option value="l">Large</select></label>
     <label><input type="checkbox" name="news" id="news"> Newsletter</label>
     <button id="send">Send</button>
   </form>
   <button id="count" type="button" onclick="this.textContent = 'Counted ' + (++window.n)">Count</button>
   <script>window.n = 0</script>
   <a id="next" href="/done?via=link">Next page</a>`,
);
export const done = ({ req }) => page('Done', `<p>Received: ${escaped(new URL(req.url, 'http://x').search)}</p>`);
export const long = page('Long', `<div style="height:5000px">top</div><p id="end">the end</p>`);
export const hover = page(
  'Hover',
  `<button id="menu" onmouseover="document.getElementById('tip').hidden = false">Menu</button><div id="tip" hidden>Tip is shown</div>
   <input id="key" onkeydown="document.title = 'key ' + event.key + (event.ctrlKey ? ' ctrl' : '')">
   <button id="later" onclick="setTimeout(() => { document.body.append(Object.assign(document.createElement('p'), { id: 'late', textContent: 'late text' })) }, 400)">Later</button>`,
);
export const pages = { '/': form, '/form': form, '/done': done, '/long': long, '/hover': hover };
