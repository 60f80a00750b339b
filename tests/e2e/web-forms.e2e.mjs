// Forms and applications that look like the real web, used as a model would, in both backends.
import { checks, needChromium } from './cdp.mjs';
import { visit, web } from './web/visit.mjs';
import { inWorld } from './world.mjs';

needChromium();
const t = checks();

await inWorld(async (world) => {
  const site = await web({ '/spa.bundle.js': '../web/spa.js' });
  const v = await visit(world, site, '/form.html');

  await v.both(async (mode) => {
    const part = (name, body) => t.part(`${name}, ${mode}`, body);
    const ok = (is, wanted, sentence) => t.equal(is, wanted, `${sentence} (${mode})`);
    const page = (expression) => v.tab.eval(expression);
    const field = (id) => page(`document.getElementById('${id}').value`);

    await part('a long form', async () => {
      await v.open('/form.html');
      const outline = await v.outline();
      for (const line of [
        'link "Skip to content"', 'textbox "First name" [ref=e4] [required]', 'textbox "Last name" [ref=e5]', 'textbox "E-mail (work)" [ref=e6] [required]',
        'textbox "Phone, with country code" [ref=e7]', 'textbox "Nickname" [ref=e8]', 'textbox "Referral code" [ref=e9] [readonly] value="HB-2025"',
        'textbox "Password" [ref=e15] value="\u2022\u2022\u2022\u2022\u2022\u2022"', 'button "Show password" [ref=e16]', 'textbox "Card number" [ref=e17] value="\u2022\u2022\u2022\u2022\u2022\u2022"',
        'listbox "Kind of account" [ref=e18] value="Current" options=["Current","Student","Instant access","Fixed term"]',
        'listbox "Extras" [ref=e19] value="Card, Insurance" options=["Card","Cheques","Insurance"]', 'radio "Online" [ref=e22] [checked]',
        'checkbox "I accept the terms" [ref=e23] [required]', 'switch "Text alerts" [ref=e25]', 'slider "Daily limit" [ref=e26] value="500"', 'spinbutton "Deposit"',
        'textbox "Second name" [ref=e32] [disabled]', 'combobox "City" [ref=e33] [collapsed]', 'button "Close form"',
      ])
        t.ok(outline.split('\n').some((l) => l === line || l.startsWith(line)), `${line.split(' [')[0]} has its line (${mode})`, outline);
      t.ok(!/correct horse|4111|Fixed term" \[ref/.test(outline), `and no secret is shown (${mode})`);
      t.match(outline, /\] \+10$/m, `a long drop-down says how many more it has (${mode})`);

      for (const [what, id, value] of [
        ['textbox "First name"', 'first', 'Zo\u00eb'], ['textbox "E-mail (work)"', 'mail', 'zoe@example.org'], ['textbox "Phone, with country code"', 'tel', '+31 20 1234567'],
        ['textbox "Date of birth"', 'born', '1999-12-31'], ['textbox "Call me at"', 'at', '09:15'], ['textbox "Starting"', 'start', '2026-03-01T08:00'], ['textbox "Month"', 'month', '2026-03'],
        ['textbox "Week"', 'week', '2026-W10'], ['slider "Daily limit"', 'limit', '750'], ['spinbutton "Deposit"', 'deposit', '120'], ['textbox "Card colour"', 'colour', '#ff8800'], ['textbox "Anything else?"', 'why', 'one\ntwo'],
      ]) {
        await v.fill(what, value);
        ok(await field(id), value, `${what} takes ${JSON.stringify(value)}`);
      }
      ok(await field('limit-out'), '750', 'and what listens hears of it');
      ok(await page(`events.filter((e) => e.endsWith(' first'))`), ['input first', 'change first'], 'one input and one change event each');
      for (const [what, value, words] of [
        ['textbox "Date of birth"', '31.12.1999', 'YYYY-MM-DD'], ['textbox "Date of birth"', '2001-02-30', 'YYYY-MM-DD'],
        ['textbox "Call me at"', '9:15', 'HH:MM'], ['textbox "Card colour"', 'red', '#rrggbb'], ['slider "Daily limit"', '751', 'step "50"'], ['spinbutton "Deposit"', 'ten', 'decimal number'],
      ]) {
        const ref = await v.ref(what);
        const [code, said] = await v.refusal('page_fill', { ref, value });
        ok([code, said.includes(words)], ['INVALID_ARGUMENT', true], `${what} does not take ${value}, and ${words} is named`);
      }
      ok([await field('born'), await field('limit')], ['1999-12-31', '750'], 'what was there before is there again');
      for (const [what, words] of [['textbox "Referral code"', 'readonly'], ['textbox "Second name"', 'disabled'], ['checkbox "I accept the terms"', 'page_click'], ['listbox "Country"', 'page_select']]) {
        const [code, said] = await v.refusal('page_fill', { ref: await v.ref(what), value: 'x' });
        ok([code, said.includes(words)], ['EXECUTION_FAILED', true], `${what} is refused: ${words}`);
      }
      ok((await v.refusal('page_fill', { selector: '#id-scan', value: 'x' }))[1].includes('page_upload'), true, 'a file input names page_upload');

      ok(await v.select('listbox "Kind of account"', 'Instant access'), { selected: 'day', text: 'Instant access' }, 'an option in a group is chosen by its label');
      ok(await v.line('listbox "Kind of account"'), 'listbox "Kind of account" [ref=e18] value="Instant access" options=["Current","Student","Instant access","Fixed term"]', 'and its line shows it');
      ok(await v.select('listbox "Country"', 'c29'), { selected: 'c29', text: 'Country 29' }, 'one beyond those shown by its value');
      const said = await v.select('listbox "Kind of account"', 'Fixed term').catch((e) => e.message);
      ok(/^Error \[EXECUTION_FAILED\]: option "Fixed term" of e18 is disabled/.test(said), true, 'a disabled option is refused');

      ok(await v.click('radio "On paper"'), { clicked: 'e21', role: 'radio' }, 'a radio is clicked');
      ok([await v.line('radio "On paper"'), await v.line('radio "Online"')], ['radio "On paper" [ref=e21] [checked] [focused]', 'radio "Online" [ref=e22]'], 'and the other one goes out');
      await v.click('checkbox "I accept the terms"');
      ok(await v.line('checkbox "I accept the terms"'), 'checkbox "I accept the terms" [ref=e23] [checked] [required] [focused]', 'a checkbox is ticked');
      await v.click('switch "Text alerts"');
      ok(await v.line('switch "Text alerts"'), 'switch "Text alerts" [ref=e25] [checked] [focused]', 'a switch is turned on');
      await v.click('button "Show password"');
      t.match(await v.line('button "Show password"'), /\[pressed\]/, `a toggle is pressed (${mode})`);
      t.ok(!(await v.outline()).includes('correct horse'), `what a page shows of a password stays hidden by its autocomplete (${mode})`);
    });

    await part('an autocomplete list', async () => {
      await v.fill('combobox "City"', 'a');
      ok(await v.act('page_wait_for', { selector: '#cities [role=option]' }), { matched: true, selector: '#cities [role=option]' }, 'typing opens the list');
      t.match(await v.line('combobox "City"'), /\[expanded\].* value="a"/, `the field says so (${mode})`);
      ok(await v.click('option "Athens"'), { clicked: await v.tab.eval(`document.querySelector('#city').value === 'Athens' ? document.querySelectorAll('#cities li')[2].dataset.genkanRef : ''`), role: 'option' }, 'an option is clicked');
      ok(await v.status(/City/), 'City: Athens', 'and chosen');
      t.match(await v.line('combobox "City"'), /\[collapsed\].* value="Athens"/, `the field holds it (${mode})`);
    });

    await part('sending', async () => {
      await page(`document.getElementById('first').value = ''`);
      const ref = await v.ref('button "Open account"');
      ok(await v.act('page_click', { ref }), { clicked: ref, role: 'button' }, 'a form that is not complete stays');
      ok(await v.status(/missing/), 'First name is missing', 'and says why');
      await v.fill('textbox "First name"', 'Zo\u00eb');
      ok(await v.click('button "Open account"'), { clicked: ref, role: 'button', navigated: true, url: `${site.origin}/sent` }, 'a complete one is sent');
      t.match((await v.act('page_text')).text, /first=Zo%C3%AB&.*mail=zoe%40example.org.*born=1999-12-31.*kind=day.*stm=paper.*terms=on.*sms=on.*limit=750/s, `with what was filled in (${mode})`);
    });

    await part('a cookie banner and a sticky header', async () => {
      await v.open('/covered.html');
      const [code, said] = await v.refusal('page_click', { ref: await v.ref('link "Story one"') });
      ok([code, /is covered by dialog "We value your privacy"|is covered by div/.test(said)], ['EXECUTION_FAILED', true], `a link under the banner is refused (${said})`);
      ok((await v.refusal('page_click', { ref: await v.ref('link "Story two"') }))[1].includes('is covered by'), true, 'so is one around blocks');
      ok((await v.click('button "Reject all"')).role, 'button', 'the banner is answered');
      ok(await v.click('button "Save story one"').then((x) => x.role), 'button', 'a button over a stretched link is clicked');
      ok(await v.line('button "Saved"').then((l) => l !== ''), true, 'and it is this one');
      const buried = await v.refusal('page_click', { ref: await v.ref('button "Buried button"') });
      ok([buried[0], /covered by img "Advert"/.test(buried[1])], ['EXECUTION_FAILED', true], 'a picture in front covers');
      for (const [what, id] of [['button "Map"', 'map'], ['link "Story two"', 'block']]) {
        await v.click(what);
        ok(await page('hit'), [id, true], `${what} is clicked where it is seen`);
      }
      await v.click('button "Load older"');
      ok(await v.act('page_text', { selector: '#older' }).then((x) => x.text), 'older stories', 'what scrolls under a sticky header is brought to the middle, where nothing covers it');
      await v.click('button "Menu"');
      t.match(await v.outline(), /button "Menu" \[ref=e\d+\] \[expanded\] ?\[?.*\n.*link "Account"|link "Account"/, `what a button opens is listed (${mode})`);
      ok((await v.line('link "The address"')), '', 'what a closed details holds is not listed');
      await v.click('button "How do I subscribe?"');
      t.match(await v.line('button "How do I subscribe?"'), /\[expanded\]/, `a click on its summary opens it (${mode})`);
      t.match(await v.line('link "The address"'), /^link/, `and then it is (${mode})`);
    });

    await part('controls that style sheets draw anew', async () => {
      await v.open('/hidden-controls.html');
      for (const [what, id] of [
        ['checkbox "Marketing mail"', 'tw'], ['checkbox "Weekly digest"', 'sib'], ['checkbox "Push messages"', 'off'], ['label "Phone calls"', 'opq'], ['switch "Night mode"', 'ovr'],
        ['radio "1 star"', 's1'], ['radio "2 stars"', 's2'],
      ]) {
        await v.click(what);
        ok(await page(`document.getElementById('${id}').checked`), true, `${what} takes a click`);
      }
      ok((await v.click('button "For screen readers"')).role, 'button', 'so does a button that nobody sees');
      ok(await page('document.title'), 'pressed', 'and hears of it');
    });

    await part('a router', async () => {
      await v.open('/spa.html');
      await v.act('page_wait_for', { text: 'tasks left' });
      const add = await v.ref('button "Add"');
      ok((await v.refusal('page_click', { ref: add }))[1].includes('disabled'), true, 'a button waits for its field');
      await v.fill('textbox "New task"', 'Buy <milk> & "bread"');
      ok(await v.act('page_click', { ref: add }), { clicked: add, role: 'button' }, 'the same ref once React enabled it');
      const box = await v.ref('checkbox "Buy <milk> & \\"bread\\""');
      await v.act('page_click', { ref: box });
      t.match(await v.line('checkbox "Buy <milk>'), /\[checked\]/, `a new item is there and takes a tick (${mode})`);
      const old = await v.ref('link "Tasks"');
      await v.tab.clickAt(600, 400);
      ok(await v.click('link "Settings"').then(({ role, ...rest }) => [role, rest.navigated ?? false]), ['link', false], 'a route is no new document');
      ok(await v.refusal('page_click', { ref: box }), ['EXECUTION_FAILED', `ref ${box} not found: take a new page_snapshot`], 'a ref of the old view is gone');
      await v.fill('textbox "Name"', 'grace');
      ok(await v.status(/GRACE/), 'GRACE, light', 'a controlled field makes of it what it will');
      await v.click('switch "Dark mode"');
      t.match(await v.line('switch "Dark mode"'), /\[checked\]/, `and a switch follows (${mode})`);
      // The browser goes back only to where a person did something.
      await v.tab.clickAt(600, 400);
      ok(await v.act('page_back').then((x) => Object.keys(x)), ['back'], 'back in history');
      await v.act('page_wait_for', { text: 'tasks left' });
      ok((await v.ref('link "Tasks"')) === old, true, 'what stayed in the document kept its ref');
    });

    await part('dialogs that pages draw', async () => {
      await v.open('/dialogs.html');
      const behind = await v.ref('button "Rename…"');
      await v.click('button "Delete project…"');
      t.match(await v.line('textbox "Type its name"'), /\[focused\]/, `a modal dialog has the focus (${mode})`);
      ok((await v.refusal('page_click', { ref: behind }))[1].includes('is covered by'), true, 'what lies behind it cannot be clicked');
      ok((await v.refusal('page_click', { ref: await v.ref('button "Delete"') }))[1].includes('disabled'), true, 'its button waits');
      await v.fill('textbox "Type its name"', 'Apollo');
      await v.click('button "Delete"');
      ok(await v.status(/answered/), 'answered yes', 'and closes it');
      await v.act('page_click', { ref: behind });
      await v.fill('textbox "New name"', 'Gemini');
      ok(await v.press('Escape'), { pressed: 'Escape' }, 'a key goes to what has the focus');
      ok(await v.status(/escaped/), 'escaped', 'and closes a dialog of ARIA alone');
      ok(await v.line('textbox "New name"'), '', 'which then is gone from the outline');
      await v.click('button "More"');
      await v.click('button "Archive"');
      ok(await v.status(/archived/), 'archived', 'a button in a popover is clicked');
    });
  });
});
t.done();
