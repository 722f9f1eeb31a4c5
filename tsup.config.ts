import { defineConfig } from 'tsup'

// What a program may import; these have declarations.
const PUBLIC = {
  index: 'instrumentation/index.ts',
  langgraph: 'instrumentation/adapters/langgraph.ts',
  'openai-agents': 'instrumentation/adapters/openai-agents.ts',
  'ai-sdk': 'instrumentation/adapters/ai-sdk.ts',
  a2a: 'instrumentation/adapters/a2a.ts',
  mcp: 'instrumentation/adapters/mcp.ts',
  send: 'instrumentation/sending/index.ts',
  otel: 'instrumentation/tracing/index.ts',
  replay: 'replay/index.ts',
  store: 'store/index.ts',
  testing: 'testing/index.ts',
}

// One build for the public entries and the command. Chunks are shared (splitting), so the command loads
// DuckDB only inside the subcommands that need it, and the instrumentation entry never does.
export default defineConfig({
  entry: {
    ...PUBLIC,
    handspan: 'cli/handspan.ts',
    'judge-worker': 'store/judge-worker.ts',
    'filter-child': 'cli/filter-child.ts',
    'parent-watch': 'cli/parent-watch.ts',
  },
  format: 'esm',
  target: 'node20',
  platform: 'node',
  splitting: true,
  clean: true,
  // What `await using` needs is in none of the libraries that a target brings by itself.
  dts: { entry: PUBLIC, banner: '/// <reference lib="esnext.disposable" />' },
  loader: { '.sql': 'text' },
})
