import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { type Place, readRunGroups } from '../../store/log-groups.ts'
import { newFolder, writeLog } from '../cli/command.ts'

const span = { id: 'a'.repeat(32), span: 'b'.repeat(16) }
const RECEIVED = [
  { run: 'o', kind: 'handoff.received', handoff: 'x', orphan: true, link: span, by: 'billing' },
  { run: 'o', kind: 'handoff.accepted', handoff: 'x', by: 'billing' },
]
const SENT = [{ run: 'r', kind: 'handoff.sent', handoff: 'h', trace: span, from: 'orders', to: 'billing' }]
const OTHERS = [
  { run: 'p', kind: 'note' },
  { run: 'q', kind: 'note' },
]

const ignore = () => {}

async function groupsOf(
  paths: readonly string[],
): Promise<[events: RunEvent[], places: (Place | undefined)[]][]> {
  const groups: [RunEvent[], (Place | undefined)[]][] = []
  for await (const { events, places } of readRunGroups(paths, ignore, ignore)) {
    groups.push([events, events.map((event) => places.get(event))])
  }
  return groups
}

describe('an orphan and its sender, in files given together', () => {
  it.each([
    ['the sender first', [SENT, RECEIVED]],
    ['the receiver first', [RECEIVED, SENT]],
  ])('are one group, each event at its place: %s', async (_name, [first, second]) => {
    const folder = newFolder()
    const one = writeLog(folder, 'one.jsonl', [...first!, OTHERS[0]!])
    const two = writeLog(folder, 'two.jsonl', [OTHERS[1]!, ...second!])
    const groups = await groupsOf([one, two])
    expect(groups.map(([events]) => events.map(({ run }) => run)).sort()).toEqual([
      ['p'],
      ['q'],
      ['r', 'r', 'r'],
    ])
    const [events, places] = groups.find(([[event]]) => event!.run === 'r')!
    expect(events.map(({ handoff }) => handoff)).toEqual(['h', 'h', 'h'])
    const inOne = (_: object, index: number) => ({ file: one, line: index + 1 })
    const inTwo = (_: object, index: number) => ({ file: two, line: index + 2 })
    expect(places).toEqual([...first!.map(inOne), ...second!.map(inTwo)])
  })

  it('alone stays what it is', async () => {
    const groups = await groupsOf([writeLog(newFolder(), 'one.jsonl', RECEIVED)])
    expect(groups).toHaveLength(1)
    expect(groups[0]![0]).toEqual(RECEIVED)
  })
})
