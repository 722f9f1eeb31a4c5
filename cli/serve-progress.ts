import type { ServeReport } from '../collector/serve.ts'
import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'

const TERMINAL_MILLISECONDS = 500
const LOG_MILLISECONDS = 60_000

/** The line that says how a server is doing: rewritten on a terminal, else printed now and then when it has changed. */
export type ServeProgress = {
  show(report: () => ServeReport): NodeJS.Timeout
  say(message: string): void
  end(report: ServeReport): void
}

export function progressOf(stream: NodeJS.WriteStream): ServeProgress {
  let last = ''
  const tell = (line: string) => {
    if (line === last) return
    last = line
    stream.write(stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
  }
  return {
    show: (report) => {
      last = lineOf(report())
      const every = stream.isTTY ? TERMINAL_MILLISECONDS : LOG_MILLISECONDS
      return setInterval(() => tell(lineOf(report())), every)
    },
    say: (message) => {
      // What a sender said is quoted in it.
      stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${escapeText(message)}\n`)
      last = ''
    },
    end: (report) => {
      last = ''
      tell(`stopped; ${lineOf(report)}${restOf(report)}`)
      if (stream.isTTY) stream.write('\n')
    },
  }
}

function lineOf({ counters, database }: ServeReport): string {
  const refused = Object.values(counters.refused).reduce((sum, count) => sum + count, 0) + counters.rejected
  const parts = [
    `received ${plural(counters.events, 'event')}, ${plural(counters.spans, 'span')}`,
    ...(refused === 0 ? [] : [`refused ${refused}`]),
    database.owner === false
      ? 'another process has the database'
      : `stored ${plural(database.events, 'event')}, ${plural(database.spans, 'span')}`,
  ]
  return database.error === undefined
    ? parts.join('; ')
    : `${parts.slice(0, -1).join('; ')}; the database is not filled`
}

/** Fewer stored than received is no loss: a command may have stored them, or they wait. */
function restOf({ counters, database }: ServeReport): string {
  const rest = counters.events + counters.spans - database.events - database.spans
  return rest > 0 && database.owner !== false && database.error === undefined
    ? '; the rest is in the spool, for the next command if none has stored it yet'
    : ''
}
