import type { Metric } from './metric.ts'
import { REVIEW_QUESTIONS } from './questions.ts'

/** The page docs/queries.md: made from the headers of the metrics, so that it cannot say anything else. */
export function cataloguePage(metrics: readonly Metric[]): string {
  const index = metrics.map(({ name, title }) => `| [${name}](#${name}) | ${title} |`).join('\n')
  const questions = REVIEW_QUESTIONS.map(
    ({ question, command }, at) => `${at + 1}. ${question}\n\n   \`\`\`sh\n   ${command}\n   \`\`\``,
  ).join('\n')
  return `${INTRODUCTION}
## Ten questions of an incident review

${questions}

## The metrics

| name | what it measures |
|---|---|
${index}

${metrics.map(section).join('\n')}`
}

function section({ name, title, question, notes, agent, columns }: Metric): string {
  const rows = columns
    .map((column) => `| \`${column.name}\` | ${column.unit} | ${column.meaning} |`)
    .join('\n')
  const more = [...notes, `\`--by agent\` means the ${agent}.`].join(' ')
  return `### ${name}

${title}. ${question} ${more}

| column | unit | meaning |
|---|---|---|
${rows}
`
}

const INTRODUCTION = `# Queries

Handoff quality as SQL. \`handspan query\` lists the metrics, \`handspan query NAME\` runs one. This page is made from the
headers of \`queries/metrics/*.sql\`; \`npx vitest run test/queries/docs.test.ts -u\` makes it anew.

| option | meaning |
|---|---|
| \`--since\`, \`--until\` | a window over the time at which handoffs were sent: how long ago (\`30m\`, \`24h\`, \`7d\`, \`2w\`), a day, or a time with its zone |
| \`--by\` | a row for each \`pair\`, \`agent\`, \`day\` (UTC), \`framework\` or \`style\` |
| \`--format\` | \`table\`, \`json\`, \`csv\`, \`md\` or \`parquet\`; \`--output\` names a file |
| \`--limit\` | how many rows at the most; a result that was cut says so |
| \`--chart\` | \`value\` as bars, day by day unless \`--by\` says something else |
| \`--watch\` | again every two seconds, or as many as it says |
| \`--fail-if\` | exit code 1 if it holds of a row, judged over all rows: \`"value < 0.99"\`, \`"change = 'vanished'"\` |
| \`--sql\` | print the SQL |

Every metric has a row for each \`slice\` (\`all\` without \`--by\`) and a \`value\`, its main number. A \`share\` is from 0 to 1.
An empty value means that there was nothing to measure, which is neither good nor bad: no condition holds of it. Middle
values and percentiles lie on the straight line between two measurements where they fall between them.

Metrics are over everything that was stored, findings that a suppression of the
[configuration](configuration.md) covers included: a measure that changes with an exception measures nothing.

Exit codes: 0, 1 when \`--fail-if\` holds, 2 for a mistake or a query that failed, 130 when it was interrupted.

## In the DuckDB shell

The files run there as they are, over the same views ([store.md](store.md)), once handspan has let go of the database. Variables say
what the options say; what is not set is not asked:

\`\`\`sh
handspan query key-coverage --sql > key-coverage.sql
duckdb -readonly .handspan/handspan.duckdb
\`\`\`

\`\`\`sql
SET VARIABLE since = TIMESTAMP '2031-03-04 00:00:00';
SET VARIABLE until = TIMESTAMP '2031-03-11 00:00:00';
SET VARIABLE slice = 'pair';
.read key-coverage.sql
\`\`\`

## What a file holds

A header, one field a line (\`-- field: value\`), then one query. Fields: \`name\`, \`title\`, \`question\`, \`agent\` (which side
\`--by agent\` means), \`schema\` (the least schema version), any number of \`note\`, \`parameter\` (\`name TYPE = default: meaning\`)
and \`column\` (\`name [unit]: meaning\`; the first two are \`slice\` and \`value\`).
`
