// Writes what the documentation takes from the program: docs/checks.md, and the blocks of the README that show real output.
// `npm run docs` after a build; with --check it only says what is stale, for the tests.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkGroups } from '../dist/replay.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (name) => readFileSync(join(root, name), 'utf8')

function checksPage() {
  const groups = checkGroups.map(({ title, question, checks }) => {
    const pages = checks.map(
      ({ id, severity, title: line, question: asked, definition }) =>
        `### ${id}\n\n**${severity}** · ${line}\n\n${asked}\n\n${definition}\n`,
    )
    return `## ${title}\n\n${question}\n\n${pages.join('\n')}`
  })
  const count = checkGroups.reduce((sum, { checks }) => sum + checks.length, 0)
  return `# The checks

${count} checks, by the question that they answer. This page is made from the texts in \`replay/checks/\`.

A finding names its check, severity, agents and subject, says what is wrong, points to the evidence on both sides, and says what to do. Where the log does not hold what a check needs, it stays silent and says so under \`not judged\`.

${groups.join('\n')}
## How they are held

Incidents that others have published stand in [test/cases](../test/cases), each with the ids that it has to raise, and controls that look like one and are none. Every case raises these ids and no other, every control raises nothing: \`test/replay/public-cases.test.ts\` fails on either, so there is no table here of findings beyond what is expected.

For each check, faults are put into ordinary runs at random places (\`test/generators\`); \`node bench/run.mjs checks\` prints how many of them are found, check by check, and how many of 10,000 ordinary runs raise anything.
`
}

function readme() {
  const diff = execFileSync(
    process.execPath,
    [join(root, 'dist/handspan.js'), 'diff', join(root, 'examples/lost-key.jsonl'), 'h-1'],
    {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    },
  )
  // The first screen shows operations and timings; what follows is one command away.
  const shown = diff.slice(0, diff.indexOf('\nconstraints')).trimEnd()
  return fill(
    fill(read('README.md'), 'diff', '', shown),
    'two-agents',
    'js',
    read('examples/two-agents.mjs').trimEnd(),
  )
}

/** Puts text into the fenced block after a marker. */
function fill(page, marker, language, text) {
  const block = new RegExp(`(<!-- ${marker} -->\\n\`\`\`)\\w*\\n[\\s\\S]*?(\`\`\`)`)
  if (!block.test(page)) throw new Error(`no block ${marker}`)
  return page.replace(block, (_, start, end) => `${start}${language}\n${text}\n${end}`)
}

const pages = { 'docs/checks.md': checksPage(), 'README.md': readme() }
const stale = Object.entries(pages).filter(([name, text]) => {
  try {
    return read(name) !== text
  } catch {
    return true
  }
})
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`${name} is stale: npm run docs`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [name, text] of stale) writeFileSync(join(root, name), text)
}
