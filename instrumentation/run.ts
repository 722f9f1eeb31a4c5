import { type JsonObject, textOf } from '../model/json.ts'
import { enter } from './current.ts'
import { Handoff, type HandoffOptions } from './handoff.ts'
import {
  type Approval,
  type ApprovalOptions,
  type Check,
  type Commitment,
  type Constraint,
  obligations,
} from './obligations.ts'
import { Operation, type OperationOptions } from './operation.ts'
import type { RunCore } from './run-core.ts'
import { endOpenSpans } from './spans.ts'
import { storable, storableFields } from './storable.ts'
import { type AnyFunction, type ToolOptions, wrapTool } from './tool.ts'

/** Rules for the tools of one agent: names, or `tool:scope`. */
export type PermissionOptions = {
  agent: string
  allow?: string[]
  deny?: string[]
  /** Tools that need a person's yes. */
  ask?: string[]
  mode?: string
  /** true: what is not allowed is denied. */
  closed?: boolean
}

/** How an agent is configured. */
export type AgentOptions = Omit<PermissionOptions, 'agent'> & { name: string; tools?: string[] }

/** A message that an agent sent or got. */
export type MessageOptions = {
  id?: string
  agent?: string
  role?: string
  content?: unknown
  channel?: string
  /** Who is really behind it: `{kind, verified}`. */
  origin?: unknown
  intent?: string
  /** Id of the commitment that it makes. */
  commitment?: string
  [field: string]: unknown
}

/** What a model gets in a request after the first one. */
export type ModelInputOptions = {
  agent?: string
  items?: readonly unknown[]
  instructions?: unknown
  tools?: readonly unknown[]
}

/**
 * One task from its start to its end, as one agent sees it. Every method writes what happened and returns at once; none
 * throws, whatever it is given.
 */
export class Run {
  /** Correlation id, the same in every process. */
  readonly id: string
  /** The agent whose acts these are, where no other is named. */
  readonly agentName: string | undefined
  readonly #core: RunCore

  /** @internal */
  constructor(core: RunCore, agent: string | undefined) {
    this.#core = core
    this.id = core.id
    this.agentName = agent
  }

  /** The same run as another agent acts in it: nothing it records needs to name that agent again. */
  as(agent: string): Run {
    return new Run(this.#core, textOf(storable(agent)))
  }

  /** Wraps a function so that every call stands in the operations log: `sent` before it leaves, then what came of it. */
  tool<F extends AnyFunction>(fn: F, options: ToolOptions<F> = {}): F {
    return wrapTool(this.#core, this.agentName, fn, options)
  }

  /** An operation whose transitions the program reports itself. Writes nothing yet. */
  operation(options: OperationOptions): Operation {
    return new Operation(this.#core, this.agentName, options)
  }

  /** A rule that binds the plan from now on. `check` is its machine-checkable form. */
  constraint(
    text: string,
    check?: Check,
    options: { id?: string; scope?: unknown; by?: string } = {},
  ): Constraint {
    return obligations(this.#core, this.agentName).constraint(text, check, options)
  }

  /** An action that waits for a person's decision. */
  approval(options: ApprovalOptions): Approval {
    return obligations(this.#core, this.agentName).approval(options)
  }

  /** Something promised to the user. */
  commitment(text: string, options: { id?: string; agent?: string } = {}): Commitment {
    return obligations(this.#core, this.agentName).commitment(text, options)
  }

  /** What an agent may do. */
  permission(options: PermissionOptions): void {
    this.#write('permission', storableFields(options))
  }

  /** How an agent is configured. */
  agent(options: AgentOptions): void {
    const { name, ...config } = storableFields(options)
    this.#write('agent.config', name === undefined ? config : { ...config, agent: name })
  }

  /** A message that was sent or received. */
  message(options: MessageOptions): void {
    this.#write('message', storableFields(options))
  }

  /** What a model gets. */
  modelInput(options: ModelInputOptions): void {
    this.#write('model.input', storableFields(options))
  }

  /** What the outside world really did, known later; used for verdicts, never for what an agent could know. */
  truth(op: string, state: string): void {
    this.#write('truth', {
      op: textOf(storable(op)) ?? 'unnamed',
      state: textOf(storable(state)) ?? 'unknown',
    })
  }

  /** Any other event of the run log. */
  event(kind: string, fields: Record<string, unknown> = {}): void {
    this.#write(textOf(storable(kind)) ?? 'unnamed', storableFields(fields))
  }

  /** Gives the task to somebody else. */
  handoff(options: HandoffOptions): Handoff {
    return new Handoff(this.#core, this.agentName, options)
  }

  /** Runs a function with this run as `handspan.current()`. */
  within<T>(act: () => T): T {
    return enter(this, act)
  }

  /** The run is over. The first call counts. */
  end(outcome?: string): void {
    const word = textOf(storable(outcome))
    this.#finish('run.end', word === undefined ? {} : { outcome: word })
  }

  /** The run is over, with an error. The first call counts. */
  failed(error?: unknown): void {
    const stored = storable(error)
    this.#finish('run.failed', stored === undefined ? {} : { error: stored })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }

  #finish(kind: string, fields: JsonObject): void {
    if (this.#core.ended) return
    this.#core.ended = true
    this.#core.record(kind, fields)
    endOpenSpans(this.id)
  }

  #write(kind: string, fields: JsonObject): void {
    const agent: JsonObject = this.agentName === undefined ? {} : { agent: this.agentName }
    this.#core.record(kind, { ...agent, ...fields })
  }
}
