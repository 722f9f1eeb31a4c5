import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [
    {
      // The build loads .sql as text (tsup.config.ts); the tests do the same.
      name: 'sql-as-text',
      enforce: 'pre',
      load(id) {
        return id.endsWith('.sql') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null
      },
    },
  ],
  test: {
    reporters: ['default', './test/counts-reporter.ts'],
    include: ['test/**/*.test.ts'],
    // Real processes, sockets and database files: generous, so that a busy machine is not a failed test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
