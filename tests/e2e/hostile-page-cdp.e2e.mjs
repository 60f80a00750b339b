// A page that lies, in CDP mode: hostile-page.e2e.mjs with the debugger as the way into pages.
process.env.GENKAN_E2E_BACKEND = 'cdp';
await import('./hostile-page.e2e.mjs');
