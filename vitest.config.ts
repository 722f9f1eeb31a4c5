import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const PURE = ['model', 'otlp', 'importers', 'replay'].map((folder) => `test/${folder}/**/*.test.ts`)

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
    // Real processes, sockets and database files: generous, so that a busy machine is not a failed test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      // What is pure leaves nothing behind in its process, so its files share one: most of their time was loading the
      // same modules. Everything else sets environment, global providers or signal handlers, and gets a process a file.
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: PURE } },
    ],
  },
})
