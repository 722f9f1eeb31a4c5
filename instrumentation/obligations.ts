import { type JsonObject, textOf } from '../model/json.ts'
import type { RunCore } from './run-core.ts'
import { storable, storableFields } from './storable.ts'

/** The machine-checkable form of a constraint. One of these, or a form of your own that is kept and shown. */
export type Check =
  /** The second tool only after the first is settled. */
  | { order: string[] }
  | { forbid: { tool: string; args?: Record<string, unknown> } }
  /** An argument of a tool stays at or below `max`. */
  | { limit: { tool: string; arg: string; max: number } }
  | { require_approval: { tool: string } }
  | { [form: string]: unknown }

/** A rule that binds the plan. */
export type Constraint = {
  readonly id: string
  /** It no longer binds. */
  revoke(): void
}

/** An action that is to wait for a person. */
export type ApprovalOptions = {
  /** The action that a yes would allow, usually the tool. */
  action: string
  /** What exactly it would allow: the arguments, the amount, the recipient. */
  scope?: unknown
  /** The operation that waits. */
  for?: string
  /** The agent that waits. */
  agent?: string
  /** What the person was shown. */
  shown?: unknown
  id?: string
}

/** Who decided, and who was told. */
export type Decision = { by?: string; delivered_to?: string; reason?: string }

/** An action that waits for a person's decision. */
export type Approval = {
  readonly id: string
  approve(decision?: Decision): void
  reject(decision?: Decision): void
  /** The yes was used by the action that it allowed. */
  consumed(details?: { agent?: string }): void
}

/** Something promised to the user. */
export type Commitment = {
  readonly id: string
  /** Kept, or no longer owed. */
  close(): void
}

/** The things that bind the plan of a run, as one agent reports them. */
export function obligations(core: RunCore, agent: string | undefined) {
  const by: JsonObject = agent === undefined ? {} : { agent }
  return {
    constraint(text: unknown, check: unknown, options: unknown): Constraint {
      const given = storableFields(options)
      const id = textOf(given.id) ?? core.newId('c')
      const stored = storable(check)
      core.record('constraint', {
        ...by,
        ...given,
        id,
        text: textOf(storable(text)) ?? '',
        ...(stored === undefined || stored === null ? {} : { check: stored }),
        state: 'active',
      })
      return { id, revoke: () => core.record('constraint', { ...by, id, state: 'revoked' }) }
    },

    approval(options: unknown): Approval {
      const given = storableFields(options)
      const id = textOf(given.id) ?? core.newId('ap')
      const { shown: _shown, ...identity }: JsonObject = { ...by, ...given, id }
      core.record('approval', { ...by, ...given, id, state: 'pending' })
      const decide = (state: string, details: unknown) =>
        core.record('approval', { ...identity, ...storableFields(details), id, state })
      return {
        id,
        approve: (decision) => decide('approved', decision),
        reject: (decision) => decide('rejected', decision),
        consumed: (details) => decide('consumed', details),
      }
    },

    commitment(text: unknown, options: unknown): Commitment {
      const given = storableFields(options)
      const id = textOf(given.id) ?? core.newId('cm')
      core.record('commitment', { ...by, ...given, id, text: textOf(storable(text)) ?? '', state: 'open' })
      return { id, close: () => core.record('commitment', { ...by, id, state: 'closed' }) }
    },
  }
}
