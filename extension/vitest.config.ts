import { defineConfig } from 'vitest/config';
import { WxtVitest } from 'wxt/testing/vitest-plugin';

export default defineConfig({
  plugins: [WxtVitest()],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // DOM suites name their environment in a comment on their first line.
    environment: 'node',
    mockReset: true,
    restoreMocks: true,
    // Nothing here waits for real time: what takes long is a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
