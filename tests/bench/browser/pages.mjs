// The pages that are measured on. `/small` and `/big` hold exactly 50 and 5,000 elements in their body.

const page = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;

/** One button, one field: what acts act on. */
const act = page(
  'Act',
  `<main><label for="q">Search</label><input id="q" type="search"><button id="go" type="button">Go</button><p><a id="next" href="/next">Next</a></p></main>
<script>document.getElementById('go').onclick = (e) => { e.target.textContent = 'Go ' + (window.clicks = (window.clicks ?? 0) + 1); };</script>`,
);

/** 48 below a list and a form: links, fields, buttons, text. */
function small() {
  let items = '';
  for (let i = 1; i <= 12; i++) items += `<li><a href="/item/${i}">Item ${i}</a></li>`; // 24
  let fields = '';
  for (let i = 1; i <= 8; i++) fields += `<label for="f${i}">Field ${i}</label><input id="f${i}">`; // 16
  return page('Small', `<ul>${items}</ul><form>${fields}<select><option>One<option>Two</select><textarea></textarea><button>Send</button><p>Some text.</p></form><footer>End</footer>`);
}

/** A table as admin pages have them: 624 rows of 8 elements, and 8 more. */
function big() {
  let rows = '';
  for (let i = 1; i <= 624; i++)
    rows += `<tr><td>${i}</td><td><a href="/row/${i}">Row ${i}</a></td><td><input value="v${i}"></td><td><button>Edit</button></td></tr>`;
  return page('Big', `<h1>All rows</h1><nav><a href="/">Home</a></nav><main><table><tbody>${rows}</tbody></table></main><p>End</p>`);
}

/** 5,000 elements that all have a line of their own, with the names of a shop. */
function controls() {
  let items = '';
  for (let i = 1; i <= 5000; i++) items += `<a href="/product/${i}">Folding chair, beech, number ${i} of the catalogue</a>`;
  return page('Controls', items);
}

export const pages = { '/act': act, '/next': page('Next', '<p>next</p>'), '/small': small(), '/big': big(), '/controls': controls() };
