import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { foldRun } from '../../replay/fold/fold.ts'
import { stateAt } from '../../replay/state.ts'
import { type Entry, log } from './run-builder.ts'

const agent = fc.constantFrom('a', 'b', 'c')
const number = fc.constantFrom('1', '2', '3')

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    kind: fc.constant('operation'),
    agent,
    op: number.map((n) => `op-${n}`),
    tool: fc.constant('pay'),
    effect: fc.constantFrom('read', 'write'),
    state: fc.constantFrom('proposed', 'sent', 'settled', 'failed', 'unknown', 'closed'),
  }),
  fc.record({
    kind: fc.constant('approval'),
    agent,
    id: number.map((n) => `ap-${n}`),
    state: fc.constantFrom('pending', 'approved', 'rejected', 'consumed'),
  }),
  fc.record({
    kind: fc.constant('constraint'),
    id: number.map((n) => `k-${n}`),
    text: fc.constant('rule'),
    state: fc.constantFrom('active', 'revoked'),
  }),
  fc.record({
    kind: fc.constant('commitment'),
    id: number.map((n) => `cm-${n}`),
    text: fc.constant('promise'),
    state: fc.constantFrom('open', 'closed'),
  }),
  fc.record({ kind: fc.constant('permission'), agent, deny: fc.array(number, { maxLength: 2 }) }),
  fc.record({
    kind: fc.constant('message'),
    agent,
    role: fc.constantFrom('user', 'assistant'),
    content: fc.constant('hi'),
  }),
  fc.record({ kind: fc.constant('model.input'), agent, items: fc.constant([]) }),
  fc.record({
    kind: fc.constant('handoff.sent'),
    handoff: number.map((n) => `h-${n}`),
    mode: fc.constantFrom('transfer', 'delegate', 'return', 'notify'),
    from: agent,
    to: agent,
  }),
  fc.record({
    kind: fc.constant('handoff.received'),
    handoff: number.map((n) => `h-${n}`),
    by: agent,
    items: fc.constant([]),
  }),
  fc.record({ kind: fc.constant('weather'), sky: fc.constant('grey') }),
)

/** The state after some events, worked out by going through them from the start with nothing kept but the state. */
function naive(events: readonly RunEvent[]) {
  const operations = new Map<string, { state: unknown; effect: unknown }>()
  const approvals = new Map<string, unknown>()
  const constraints = new Map<string, boolean>()
  const commitments = new Map<string, boolean>()
  const permissions = new Map<string, unknown>()
  const modes = new Map<string, string>()
  const seen = new Map<string, number[]>()
  let owner: string | undefined
  events.forEach((event, step) => {
    const see = (who: unknown) => seen.set(who as string, [...(seen.get(who as string) ?? []), step])
    const id = (event.id ?? event.op ?? event.handoff) as string
    owner ??= event.agent ?? (event.from as string | undefined)
    if (event.kind === 'operation') operations.set(id, { state: event.state, effect: event.effect })
    if (event.kind === 'approval') approvals.set(id, event.state)
    if (event.kind === 'constraint') constraints.set(id, event.state === 'active')
    if (event.kind === 'commitment') commitments.set(id, event.state === 'open')
    if (event.kind === 'permission') permissions.set(event.agent!, event.deny)
    if (event.kind === 'message' || event.kind === 'model.input') see(event.agent)
    if (event.kind === 'handoff.sent') modes.set(id, event.mode as string)
    if (event.kind === 'handoff.received') {
      see(event.by)
      const mode = modes.get(id) ?? 'transfer'
      if (mode === 'transfer' || mode === 'return') owner = event.by as string
    }
  })
  const ids = (map: Map<string, boolean>) => [...map].filter(([, holds]) => holds).map(([id]) => id)
  return {
    operations: [...operations].map(([id, { state, effect }]) => ({
      ...{ id, state, inDoubt: effect === 'write' && (state === 'sent' || state === 'unknown') },
    })),
    approvals: Object.fromEntries(approvals),
    constraints: ids(constraints).sort(),
    commitments: ids(commitments).sort(),
    permissions: Object.fromEntries(permissions),
    owner,
    seen: Object.fromEntries(seen),
  }
}

function shown(run: ReturnType<typeof foldRun>, step: number) {
  const state = stateAt(run, step)
  return {
    operations: state.operations.map(({ operation, version, inDoubt }) => ({
      id: operation.id,
      state: version.state,
      inDoubt,
    })),
    approvals: Object.fromEntries(
      state.approvals.map(({ approval, version }) => [approval.id, version.state]),
    ),
    constraints: state.constraints.map(({ id }) => id).sort(),
    commitments: state.commitments.map(({ id }) => id).sort(),
    permissions: Object.fromEntries(
      state.permissions.map(({ agent: name, permissions }) => [name, permissions.deny]),
    ),
    owner: state.owner,
    seen: Object.fromEntries(state.seen),
  }
}

/** An operation keeps its declared effect from the latest entry that has one; the naive model needs it to stay the same. */
const steadyEffects = (entries: Entry[]) =>
  entries.map((one) =>
    one.kind === 'operation' ? { ...one, effect: one.op === 'op-1' ? 'read' : 'write' } : one,
  )

describe('the state at a step', () => {
  it('is what a replay from the start gives, at every step, forwards and backwards', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }).map(steadyEffects), (entries) => {
        const events = log(entries)
        const run = foldRun(events)
        // A handoff received before it was sent, by the numbers of one writer, stands as numbered.
        expect(run.events).toEqual(events)
        const forwards = events.map((_, step) => shown(run, step))
        const backwards = events.map((_, index) => shown(run, events.length - 1 - index)).reverse()
        expect(backwards).toEqual(forwards)
        forwards.forEach((state, step) => {
          expect(state).toEqual(naive(events.slice(0, step + 1)))
        })
      }),
      { numRuns: 200 },
    )
  })

  it('is empty before the first event and that of the last one after it', () => {
    const run = foldRun(log([{ kind: 'constraint', id: 'k', text: 't' }]))
    expect(stateAt(run, -1)).toMatchObject({
      operations: [],
      approvals: [],
      constraints: [],
      commitments: [],
    })
    expect(stateAt(run, 99).constraints.map(({ id }) => id)).toEqual(['k'])
    expect(stateAt(foldRun([]), 0).owner).toBeUndefined()
  })
})
