import { isObject } from '../../model/json.ts'
import { bytesOf } from '../../model/sizes.ts'
import type { Handoff, Run } from '../run.ts'
import { recordAt } from './record-at.ts'

/** What a filter gets: a copy of what the sender had, verbatim, and what its runtime knew. */
export type FilterInput = {
  /** The conversation items of the sender, in the runtime's own form. */
  items: unknown[]
  /** The record that crossed with the handoff, if one did. */
  record?: Record<string, unknown> | undefined
  context: {
    run: string
    handoff: string
    mode: string
    from?: string | undefined
    to?: string | undefined
    reason?: string | undefined
    /** A record made from the operations log at the moment of sending: what the runtime could have passed. */
    known: Record<string, unknown>
  }
}

/** What would cross instead: items, or items and a record. Items alone leave the record as it crossed. */
export type FilterOutput = unknown[] | { items: unknown[]; record?: Record<string, unknown> | undefined }

/** Decides what the receiver gets of a handoff. */
export type Filter = (input: FilterInput) => FilterOutput | Promise<FilterOutput>

/** What would stand at the receiver. */
export type Payload = { items: unknown[]; record?: unknown; bytes: number }

/** The input of a filter for a handoff, or why there is none. */
export function filterInput(
  run: Run,
  handoff: Handoff,
): { input: FilterInput } | { input?: undefined; reason: string } {
  const { sent, receipts } = handoff
  if (sent?.event.items_before === undefined) return { reason: "the sender's items were not captured" }
  if (receipts.length === 0) return { reason: 'nobody received it' }
  return {
    input: {
      items: sent.event.items_before,
      record: isObject(sent.event.record) ? sent.event.record : undefined,
      context: {
        run: run.id,
        handoff: handoff.id,
        mode: handoff.mode,
        from: handoff.from,
        to: handoff.to,
        reason: handoff.reason,
        known: recordAt(run, sent.step),
      },
    },
  }
}

/** Reads what a filter returned, which may be anything; says what is wrong with it. */
export function readOutput(
  output: unknown,
  crossed: unknown,
): { payload: Payload } | { payload?: undefined; reason: string } {
  const whole = Array.isArray(output) ? { items: output } : output
  if (!isObject(whole) || !Array.isArray(whole.items)) {
    return { reason: `the filter returned ${kindOf(output)}: return a list of items, or {items, record}` }
  }
  if (whole.record !== undefined && !isObject(whole.record)) {
    return {
      reason: `the filter returned a record that is ${kindOf(whole.record)}: return an object, or leave it out`,
    }
  }
  const record = 'record' in whole ? whole.record : crossed
  return { payload: { items: whole.items, record, bytes: bytesOf(whole.items) + bytesOf(record) } }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object without items'
      : `a ${typeof value}`
}
