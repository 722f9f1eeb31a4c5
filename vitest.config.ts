import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

// What is pure leaves nothing behind in its process, so its files share one: most of their time was loading the same
// modules. Everything else may set environment, global providers or signal handlers, and gets a process a file.
const PURE = ['model', 'otlp', 'importers', 'replay'].map((folder) => `test/${folder}/**/*.test.ts`)

const plugins = [
  {
    // The build loads .sql as text (tsup.config.ts); the tests do the same.
    name: 'sql-as-text',
    enforce: 'pre' as const,
    load(id: string) {
      return id.endsWith('.sql') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null
    },
  },
]

// Real processes, sockets and database files: generous, so that a busy machine is not a failed test.
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    reporters: ['default', './test/counts-reporter.ts'],
    // One more than the cores of the machines that run the gate: half of the tests wait for processes of their own. Here and
    // not in the projects, where it would win over the command line.
    maxWorkers: 3,
    projects: [
      { plugins, test: { ...timeouts, name: 'pure', include: PURE, isolate: false } },
      { plugins, test: { ...timeouts, name: 'whole', include: ['test/**/*.test.ts'], exclude: PURE } },
    ],
  },
})
