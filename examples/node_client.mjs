// Lists the browsers, reads the page in front, and clicks the first thing that
// can be clicked there.
//
//     genkan pair-client --name node --hash \
//         "$(sha256sum "$(readlink -f "$(which node)")" | cut -c1-64)"
//     node node_client.mjs [FOLDER-OF-GENKAN-SERVER]
import { Client } from 'genkan';

async function main(programDir) {
  const client = await Client.connect({ programDir });
  try {
    const { browsers } = await client.call('list_browsers');
    for (const b of browsers) console.log(`${b.label}: ${b.tabCount} tabs`);
    const tabs = await client.call('tab_list');
    const tabId = (tabs.find((t) => t.active) ?? tabs[0]).id;
    const outline = await client.call('page_snapshot', { tabId });
    console.log(outline);
    const ref = /\[ref=(e\d+)\]/.exec(outline)?.[1];
    if (ref === undefined) return;
    const done = await client.call('page_click', { tabId, ref });
    console.log('clicked', done.clicked);
  } finally {
    client.close();
  }
}

main(process.argv[2]).catch((e) => {
  console.error(`${e.code}: ${e.message}`);
  process.exitCode = 1;
});
