import { describe, expect, it } from 'vitest'
import { progressOf } from '../../cli/serve-progress.ts'
import type { ServeReport } from '../../collector/serve.ts'

/** The last line of a server that took 1,045 events, when its database is as given. */
function lastLine(database: Partial<ServeReport['database']>): string {
  let written = ''
  const stream = { isTTY: false, write: (text: string) => (written += text) }
  progressOf(stream as unknown as NodeJS.WriteStream).end({
    counters: { events: 1045, spans: 0, rejected: 0, refused: {} },
    database: { owner: true, events: 0, spans: 0, duplicates: 0, quarantined: 0, runs: 0, ...database },
  } as unknown as ServeReport)
  return written
}

describe('the last line of a server', () => {
  it('says where the events are that it has not stored itself', () => {
    expect(lastLine({ events: 836 })).toBe(
      'stopped; received 1,045 events, 0 spans; stored 836 events, 0 spans; ' +
        'the rest is in the spool, for the next command if none has stored it yet\n',
    )
  })

  it('speaks of no rest where there is none, or where it stored nothing and says why', () => {
    for (const database of [
      { events: 1045 },
      { events: 2000 },
      { owner: false },
      { error: 'it is locked' },
    ]) {
      expect(lastLine(database)).not.toContain('rest')
    }
  })
})
