import type { CallFact, Fact, Told } from './facts.ts'

/*
 * What every metric has to say of a told story, worked out from its facts in TypeScript, never from events or rows.
 */

export type Row = Record<string, unknown>

/** Undefined where the metric has no row for these facts. */
type Aggregate = (facts: Fact[], told: Told) => Row | undefined

const received = (facts: Fact[]) => facts.filter((fact) => fact.deliveries > 0)
const count = <T>(list: T[], holds: (one: T) => unknown) => list.filter(holds).length
const total = <T>(list: T[], of: (one: T) => number) => list.reduce((sum, one) => sum + of(one), 0)
const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const tokens = (value: unknown) => Math.ceil(bytes(value) / 4)
const known = (list: (number | undefined)[]) => list.filter((one) => one !== undefined)
const distinct = (list: unknown[]) => new Set(list).size

/** The value below which that share of the values lies, between two of them by the straight line (SQL's quantile_cont). */
export function quantile(list: readonly number[], at: number): number | null {
  if (list.length === 0) return null
  const sorted = [...list].sort((a, b) => a - b)
  const place = (sorted.length - 1) * at
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return low + (high - low) * (place - Math.floor(place))
}

/** What one clock shows less what another one showed before: less than nothing is no time that passed. */
const isTime = (milliseconds: number) => milliseconds >= 0
const latencies = (facts: Fact[]) => received(facts).map(({ sentAt, receivedAt }) => receivedAt! - sentAt)
const calls = (facts: Fact[]): CallFact[] => facts.flatMap((fact) => fact.calls)
const isCorrect = (call: CallFact) => !call.redundant && !call.refused && call.repeats !== 'arguments'
const doubts = (facts: Fact[]) => facts.flatMap((fact) => fact.inDoubt)
const rules = (facts: Fact[]) => facts.flatMap((fact) => fact.constraints)
const drops = (facts: Fact[], types: string[]) =>
  total(facts, ({ dropped }) => total(types, (type) => dropped[type] ?? 0))

const CONTRACT = ['intent', 'constraints', 'status', 'evidence', 'next_action', 'stop_condition']

export const AGGREGATES: Record<string, Aggregate> = {
  handoffs: (facts) => ({
    value: facts.length,
    runs: distinct(facts.map(({ run }) => run)),
    pairs: distinct(facts.map(pairOf)),
    transfers: count(facts, ({ mode }) => mode === 'transfer'),
    delegations: count(facts, ({ mode }) => mode === 'delegate'),
    returns: 0,
    others: 0,
    received: received(facts).length,
    median_bytes: quantile(
      received(facts).map(({ items }) => bytes(items)),
      0.5,
    ),
    median_tokens: quantile(
      received(facts).map(({ items }) => tokens(items)),
      0.5,
    ),
    median_record_bytes: quantile(known(facts.map(({ recordBytes }) => recordBytes)), 0.5),
    median_latency_ms: quantile(latencies(facts).filter(isTime), 0.5),
    p95_latency_ms: quantile(latencies(facts).filter(isTime), 0.95),
    skewed: count(latencies(facts), (one) => !isTime(one)),
  }),
  'key-coverage': (all) => {
    const facts = all.filter(({ inDoubt }) => inDoubt.length > 0)
    const of = (degree: string) => count(doubts(facts), (doubt) => doubt.degree === degree)
    if (facts.length === 0) return undefined
    return {
      value: share(of('carried'), doubts(facts).length),
      handoffs: facts.length,
      in_doubt: doubts(facts).length,
      carried: of('carried'),
      altered: of('altered'),
      key_in_words: of('key in words'),
      described: of('described'),
      mentioned: of('mentioned'),
      absent: of('absent'),
      without_key: count(doubts(facts), ({ hasKey }) => !hasKey),
    }
  },
  'settle-before-plan': (facts) => {
    const settled = doubts(facts).filter((doubt) => doubt.settled !== undefined)
    const of = (order: string) => count(settled, (doubt) => doubt.settled === order)
    const by = (means: string) => count(settled, (doubt) => doubt.by === means)
    if (settled.length === 0) return undefined
    return {
      value: share(of('before planning'), settled.length),
      operations: settled.length,
      before_planning: of('before planning'),
      after_planning: of('after planning'),
      not_settled: of('not settled'),
      by_key: by('key'),
      by_closing: by('closed'),
      by_waiting: by('awaited'),
      by_details: 0,
      median_ms: quantile(known(settled.map(({ ms }) => ms)), 0.5),
    }
  },
  'repeated-effects': (facts) => ({
    value: share(
      count(calls(facts), (call) => call.repeats === 'arguments'),
      count(calls(facts), ({ write }) => write),
    ),
    writes: count(calls(facts), ({ write }) => write),
    by_arguments: count(calls(facts), (call) => call.repeats === 'arguments'),
    by_key: count(calls(facts), (call) => call.repeats === 'key'),
    handoffs: count(facts, (fact) => fact.calls.some((call) => call.repeats === 'arguments')),
  }),
  'constraint-retention': (facts) => {
    const of = (degree: string) => count(rules(facts), (one) => one === degree)
    return {
      value: share(of('same'), rules(facts).length),
      handoffs: count(facts, ({ constraints }) => constraints.length > 0),
      constraints: rules(facts).length,
      same: of('same'),
      reworded: of('reworded'),
      in_words: of('in words only'),
      dropped: of('absent'),
      not_followed: 0,
      not_in_state: 0,
      not_judged: 0,
    }
  },
  completeness: (all) => {
    const facts = received(all)
    if (facts.length === 0) return undefined
    return {
      value: total(facts, ({ contract }) => contract.length) / (6 * facts.length),
      handoffs: facts.length,
      complete: share(
        count(facts, ({ contract }) => contract.length === 6),
        facts.length,
      ),
      ...Object.fromEntries(
        CONTRACT.map((field) => [
          field,
          share(
            count(facts, ({ contract }) => contract.includes(field)),
            facts.length,
          ),
        ]),
      ),
    }
  },
  'origin-preserved': (facts) => {
    const of = (verdict: string) => count(facts, ({ origin }) => origin === verdict)
    const judged = facts.length - of('not judged')
    return {
      value: share(of('same'), judged),
      judged,
      same: of('same'),
      absent: of('absent'),
      changed: of('changed'),
      escalated: of('escalated'),
      not_judged: of('not judged'),
    }
  },
  'permissions-drift': (all) => {
    const facts = received(all).filter(({ permissionsKnown }) => permissionsKnown)
    const drifted = count(facts, ({ gained, lost }) => gained + lost > 0)
    if (received(all).length === 0) return undefined
    return {
      value: share(drifted, facts.length),
      handoffs: facts.length,
      drifted,
      gained: total(facts, ({ gained }) => gained),
      lost: total(facts, ({ lost }) => lost),
      not_judged: received(all).length - facts.length,
    }
  },
  'approvals-preserved': (facts) => {
    const pending = facts.filter(({ mode }) => mode !== 'delegate').flatMap(({ approvals }) => approvals)
    const asked = facts.filter(({ requestedAction }) => /approve|review/.test(requestedAction ?? ''))
    const of = (verdict: string) => count(facts, (fact) => fact.verdict === verdict)
    const waits = known(facts.map(({ verdictAt, receivedAt }) => verdictAt && verdictAt - receivedAt!))
    return {
      value: share(
        count(pending, (same) => same),
        pending.length,
      ),
      pending: pending.length,
      same: count(pending, (same) => same),
      verdicts_asked: asked.length,
      verdicts_given: count(asked, ({ verdict }) => verdict !== undefined),
      approved: of('approve'),
      changes_requested: of('request_changes'),
      blocked: of('block'),
      acknowledged: of('acknowledge'),
      median_verdict_ms: quantile(waits.filter(isTime), 0.5),
      skewed: count(waits, (one) => !isTime(one)),
    }
  },
  'redundant-calls': (facts) => ({
    value: share(
      count(calls(facts), ({ redundant }) => redundant),
      calls(facts).length,
    ),
    handoffs: count(facts, (fact) => fact.calls.length > 0),
    calls: calls(facts).length,
    redundant: count(calls(facts), ({ redundant }) => redundant),
  }),
  'context-size': (all) => {
    const facts = received(all)
    if (facts.length === 0) return undefined
    const largest = facts.map(({ items, largestType }) => ({
      bytes: Math.max(...items!.map(bytes)),
      type: largestType,
    }))
    const most = Math.max(...largest.map((one) => one.bytes))
    return {
      value:
        total(facts, ({ items }) => bytes(items)) / total(facts, ({ itemsBefore }) => bytes(itemsBefore)),
      handoffs: facts.length,
      items_before: total(facts, ({ itemsBefore }) => itemsBefore.length),
      items_after: total(facts, ({ items }) => items!.length),
      bytes_before: total(facts, ({ itemsBefore }) => bytes(itemsBefore)),
      bytes_after: total(facts, ({ items }) => bytes(items)),
      tokens_before: total(facts, ({ itemsBefore }) => tokens(itemsBefore)),
      tokens_after: total(facts, ({ items }) => tokens(items)),
      dropped_messages: drops(facts, ['message']),
      dropped_tool_calls: drops(facts, ['tool_call']),
      dropped_tool_results: drops(facts, ['tool_result']),
      dropped_reasoning: 0,
      dropped_others: 0,
      largest_item_bytes: most,
      largest_item_type: largest.filter((one) => one.bytes === most).map(({ type }) => type),
    }
  },
  'artifact-reuse': (all) => {
    const facts = all.filter(({ references }) => references > 0)
    if (facts.length === 0) return undefined
    const handedOver = total(facts, ({ references }) => references)
    const used = total(facts, (fact) => fact.used)
    return { value: used / handedOver, handoffs: facts.length, handed_over: handedOver, used }
  },
  rework: (facts, told) => {
    const runs = [...new Set(facts.map(({ run }) => run))]
    const redone = (run: string) =>
      count(calls(facts.filter((fact) => fact.run === run)), (call) => call.redone)
    const completed = runs.filter((run) => told.completed.get(run))
    const clean = count(completed, (run) => redone(run) === 0)
    return {
      value: share(clean, completed.length),
      runs: runs.length,
      completed: completed.length,
      clean,
      redone: total(runs, redone),
    }
  },
  'time-to-first-correct-action': (all) => {
    const facts = received(all)
    if (facts.length === 0) return undefined
    const first = (fact: Fact) => fact.calls[0]?.at
    const detour = ({ calls }: Fact) => calls.some(isCorrect) && !isCorrect(calls[0]!)
    const correct = (fact: Fact) => fact.calls.find(isCorrect)?.at
    const wait = (of: (fact: Fact) => number | undefined, fact: Fact) =>
      of(fact) && of(fact)! - fact.receivedAt!
    const waits = (of: (fact: Fact) => number | undefined) =>
      known(facts.map((fact) => wait(of, fact))).filter(isTime)
    return {
      value: quantile(waits(correct), 0.5),
      p95_ms: quantile(waits(correct), 0.95),
      received: facts.length,
      acted: count(facts, first),
      correct: count(facts, correct),
      detours: count(facts, detour),
      median_first_ms: quantile(waits(first), 0.5),
      skewed: count(facts, (fact) => [first, correct].some((of) => (wait(of, fact) ?? 0) < 0)),
    }
  },
  corrections: (facts) => {
    const of = (correction: string) => count(calls(facts), (call) => call.correction === correction)
    const all = of('undone') + of('rejected') + of('repeated')
    return {
      value: share(all, calls(facts).length),
      calls: calls(facts).length,
      undone: of('undone'),
      rejected: of('rejected'),
      repeated: of('repeated'),
    }
  },
  'payload-growth': (facts) => {
    const growth = known(facts.map((fact) => fact.growth))
    const hops = known(facts.map(({ hop }) => hop))
    return {
      value: quantile(growth, 0.5),
      hops: growth.length,
      growing: share(
        count(growth, (one) => one > 1),
        growth.length,
      ),
      p95: quantile(growth, 0.95),
      largest: growth.length === 0 ? null : Math.max(...growth),
      longest_chain: hops.length === 0 ? null : Math.max(...hops),
    }
  },
  cycles: (facts) => ({
    value: count(facts, ({ lap }) => lap > 1) / facts.length,
    handoffs: facts.length,
    again: count(facts, ({ lap }) => lap > 1),
    longest: Math.max(...facts.map(({ lap }) => lap)),
    runs: distinct(facts.filter(({ lap }) => lap >= 3).map(({ run }) => run)),
  }),
  'two-active': (all) => {
    const facts = received(all)
    if (facts.length === 0) return undefined
    const overlapping = facts.filter(({ twoActive }) => twoActive)
    return {
      value: overlapping.length / facts.length,
      handoffs: facts.length,
      overlapping: overlapping.length,
      runs: distinct(overlapping.map(({ run }) => run)),
    }
  },
  delivery: (facts) => {
    const of = (outcome: string) => count(facts, (fact) => fact.outcome === outcome)
    return {
      value: received(facts).length / facts.length,
      sent: facts.length,
      received: received(facts).length,
      accepted: of('accepted'),
      late: count(facts, ({ late }) => late),
      declined: of('declined'),
      failed: of('failed'),
      dead_lettered: of('dead-lettered'),
      retries: count(facts, ({ attempt }) => attempt > 1),
      received_twice: count(facts, ({ deliveries }) => deliveries > 1),
      trace_broken: count(facts, ({ trace }) => trace === 'broken'),
      task_broken: count(facts, ({ task }) => task === 'broken'),
    }
  },
  leaks: (all) => {
    const facts = received(all)
    if (facts.length === 0) return undefined
    const leaking = count(facts, ({ sensitive, droppedResults }) => sensitive + droppedResults > 0)
    return {
      value: leaking / facts.length,
      handoffs: facts.length,
      leaking,
      sensitive: total(facts, ({ sensitive }) => sensitive),
      dropped_results: total(facts, ({ droppedResults }) => droppedResults),
    }
  },
  determinism: (all) => {
    const inputs = [
      ...groupBy(received(all), (fact) => JSON.stringify([pairOf(fact), fact.mode, fact.input])).values(),
    ].filter((facts) => facts.length > 1)
    if (inputs.length === 0) return undefined
    const same = count(inputs, (facts) => distinct(facts.map(({ payload }) => payload)) === 1)
    return {
      value: same / inputs.length,
      inputs: inputs.length,
      same,
      differing: inputs.length - same,
      handoffs: total(inputs, (facts) => facts.length),
    }
  },
}

export function groupBy<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one])
  return groups
}

export function pairOf({ from, to }: Fact): string {
  return `${from} → ${to}`
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
