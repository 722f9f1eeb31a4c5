import { BINDINGS, type Binding } from './bindings.ts'
import { keyName } from './keys.ts'
import type { ScreenName } from './screen.ts'

/** The page of keys for the documentation. */
export function keysPage(): string {
  const everywhere = BINDINGS.filter(({ screens }) => screens === undefined)
  const screens = [...new Set(BINDINGS.flatMap(({ screens }) => screens ?? []))]
  const parts = screens.map((screen) => {
    const own = BINDINGS.filter((binding) => binding.screens?.includes(screen))
    return `## ${TITLES[screen]}\n\n${table(own)}`
  })
  return `# Keys of the terminal UI

Made from the table in \`tui/bindings.ts\`, which the program itself reads. Where a key stands twice on a screen, the first line wins.
Alt with a key is \`Esc\` and then that key: a terminal sends the same for both.

## Everywhere

${table(everywhere)}
${parts.join('\n')}
## Environment

| variable | what it does |
|---|---|
| \`HANDSPAN_TRACE_URL\` | makes trace ids links (OSC 8) to your own backend: \`https://tempo.example/trace/{trace}\`, with \`{span}\` if it is wanted |
| \`HANDSPAN_THEME\` | \`dark\`, \`light\` or \`no-color\`; left out, the background that \`COLORFGBG\` states decides |
| \`NO_COLOR\` | set to anything: no colour at all; signs and words say the same |
| \`HANDSPAN_DIR\` | directory of the captures, where \`--dir\` names none |

Without a terminal to draw on, in CI, with \`TERM=dumb\` or \`--plain\` the same screens are printed as text.
`
}

const TITLES: Record<ScreenName, string> = {
  runs: 'Runs',
  replay: 'Replay',
  diff: 'Handoff diff',
  viewer: 'JSON viewer',
  findings: 'Findings',
  metrics: 'Metrics',
  table: 'Answer of a query',
  lab: 'Lab',
  'what-if': 'What if',
  pick: 'Choosing a handoff to compare with',
  compare: 'Comparison of two handoffs',
  text: 'Text',
}

function table(bindings: readonly Binding[]): string {
  const rows = bindings.map(({ keys, description }) => `| ${keys.map(shown).join(' ')} | ${description} |`)
  return `| keys | what they do |\n|---|---|\n${rows.join('\n')}\n`
}

function shown(key: string): string {
  return `\`${keyName(key).replaceAll('|', '\\|')}\``
}
