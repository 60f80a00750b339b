// A hostile page against the extension, in CDP mode: the parts of hostile.e2e.mjs that a debugger could change.
process.env.GENKAN_E2E_BACKEND = 'cdp';
await import('./hostile.e2e.mjs');
