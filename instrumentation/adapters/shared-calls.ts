import { canonicalJson } from '../../model/hash.ts'
import { leavesInDoubt } from '../in-doubt.ts'
import type { Approval } from '../obligations.ts'
import type { Operation, OperationOptions } from '../operation.ts'
import type { Run } from '../run.ts'
import { storable } from '../storable.ts'
import { type AdapterOptions, effectOf, keyOf, type ToolCall } from './shared-options.ts'

/** A tool call on its way. The first outcome counts, unless it was `unknown`: then a late one settles it. */
export class CallEntry {
  readonly call: ToolCall
  readonly #operation: Operation
  #state: 'open' | 'unknown' | 'done' = 'open'
  /** Whether the body of the tool is seen: not at all, not called yet, or called. */
  body: 'unseen' | 'waiting' | 'running' = 'unseen'

  constructor(call: ToolCall, operation: Operation) {
    this.call = call
    this.#operation = operation
  }

  get op(): string {
    return this.#operation.op
  }

  get attempt(): number {
    return this.#operation.attempt
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  settled(result: unknown): void {
    if (this.#state === 'done') return
    this.#operation.settled(result, this.#state === 'unknown' ? 'awaited' : undefined)
    this.#state = 'done'
  }

  /** It ended with an error: in doubt if that leaves open whether the request took effect. */
  failed(error: unknown, args: readonly unknown[] = []): void {
    if (leavesInDoubt(error, args)) this.unknown(error)
    else this.refused(error)
  }

  /** It never left. */
  refused(error: unknown): void {
    if (this.#state === 'done') return
    this.#operation.failed(error)
    this.#state = 'done'
  }

  /**
   * Whoever asks the service for this call reports it from here on: it sees the answer itself. What the framework around
   * it says of the same call is passed over.
   */
  carry(): CallEntry {
    this.#state = 'done'
    return new CallEntry(this.call, this.#operation)
  }

  /** The framework goes on with this text. A body that is still at work was given up; one that waits was never called. */
  ended(text: string): void {
    if (this.body === 'running') this.unknown({ name: 'TimeoutError', message: text })
    else if (this.body === 'waiting') this.failed({ name: 'ToolError', message: text })
    else this.settled(text)
  }

  /** It stopped to ask a person, before it did anything, and begins anew after the answer. */
  interrupted(): void {
    this.refused({ name: 'GraphInterrupt', message: 'stopped to wait for a decision' })
  }

  /** Nobody waits for the answer any more. */
  unknown(error: unknown): void {
    if (this.#state !== 'open') return
    this.#operation.unknown(error)
    this.#state = 'unknown'
  }
}

/** `begun`: the call had left before it stopped to ask, so that its next start is another attempt. */
type Waiting = { call: ToolCall; op: string; begun: boolean; approval: Approval; approved: boolean }

/** The tool calls of one run: operations, and the approvals that some of them wait for. */
export class CallLog {
  readonly #run: Run
  readonly #options: AdapterOptions
  readonly #waiting = new Map<string, Waiting>()
  readonly #approvalIds = new Set<string>()
  readonly #operations = new Map<string, string>()
  readonly #open = new Set<CallEntry>()

  constructor(run: Run, options: AdapterOptions) {
    this.#run = run
    this.#options = options
  }

  /** Ids of the calls that wait for a decision. */
  get waiting(): ToolCall[] {
    return [...this.#waiting.values()].map(({ call }) => call)
  }

  /** The call is about to leave. */
  start(call: ToolCall): CallEntry {
    const waiting = this.#takeWaiting(call)
    const op = waiting?.op ?? this.#operations.get(repeatName(call))
    const attempt = waiting !== undefined && !waiting.begun ? 1 : undefined
    const operation = this.#operation(call, { op, attempt, approval: waiting?.approval.id })
    if (isOwnName(call.call)) this.#operations.set(repeatName(call), operation.op)
    operation.sent()
    if (waiting !== undefined) {
      if (!waiting.approved) waiting.approval.approve()
      waiting.approval.consumed(call.agent === undefined ? {} : { agent: call.agent })
    }
    const entry = new CallEntry(call, operation)
    for (const each of this.#open) if (!each.isOpen) this.#open.delete(each)
    this.#open.add(entry)
    return entry
  }

  /** The call of a framework that this request to a service carries out: the same tool and arguments, and still open. */
  around({ name, args }: ToolCall): CallEntry | undefined {
    const same = canonicalJson(storable(args ?? {}) ?? {})
    return [...this.#open].find(
      ({ isOpen, call }) =>
        isOpen && isSameTool(call.name, name) && canonicalJson(storable(call.args ?? {}) ?? {}) === same,
    )
  }

  /** The call waits for a person. A second report of the same wait changes nothing. `begun`: it had left already. */
  wait(call: ToolCall, begun?: CallEntry): void {
    if (this.#waiting.has(nameOf(call))) return
    const id = this.#approvalId(call)
    const operation = begun === undefined ? this.#operation(call, { approval: id }) : undefined
    operation?.proposed()
    const op = begun?.op ?? operation!.op
    const approval = this.#run.approval({
      id,
      action: call.name,
      scope: call.args,
      for: op,
      ...(call.agent === undefined ? {} : { agent: call.agent }),
    })
    this.#waiting.set(nameOf(call), { call, op, begun: begun !== undefined, approval, approved: false })
  }

  /** The wait that this call was: under its id, or, where whoever asked did not know that, with the same arguments. */
  #takeWaiting(call: ToolCall): Waiting | undefined {
    const unnamed = this.#waiting.get(nameOf({ name: call.name, args: undefined }))
    const same = unnamed !== undefined && JSON.stringify(unnamed.call.args) === JSON.stringify(call.args)
    const found = this.#waiting.get(nameOf(call)) ?? (same ? unnamed : undefined)
    if (found !== undefined) this.#waiting.delete(nameOf(found.call))
    return found
  }

  /** What the person said. A refused call waits no longer; an approved one until it leaves. */
  decide(call: ToolCall, approved: boolean): void {
    const waiting = this.#waiting.get(nameOf(call))
    if (waiting === undefined) return
    if (!approved) {
      waiting.approval.reject()
      this.#waiting.delete(nameOf(call))
    } else if (!waiting.approved) {
      waiting.approved = true
      waiting.approval.approve()
    }
  }

  #operation(
    call: ToolCall,
    known: { op?: string | undefined; attempt?: number | undefined; approval?: string | undefined },
  ): Operation {
    // What is undefined is left out of the events.
    return this.#run.operation({
      tool: call.name,
      args: call.args,
      effect: effectOf(this.#options, call),
      key: keyOf(this.#options, call),
      agent: call.agent,
      call: call.call,
      hints: call.hints,
      ...known,
    } as OperationOptions)
  }

  #approvalId(call: ToolCall): string {
    const base = `approval-${call.call ?? call.name}`
    let id = base
    for (let count = 2; this.#approvalIds.has(id); count++) id = `${base}-${count}`
    this.#approvalIds.add(id)
    return id
  }
}

/** Frameworks put the name of the server before that of the tool: `bank__charge_card`. */
function isSameTool(outer: string, name: string): boolean {
  return outer === name || (outer.endsWith(name) && /[_.:/-]$/.test(outer.slice(0, -name.length)))
}

// Some providers only count the calls of one answer: such an id comes again in the next answer, for another call.
const COUNTED = /^(call[_-]?)?\d{1,2}$/i

function isOwnName(call: string | undefined): boolean {
  return call !== undefined && !COUNTED.test(call)
}

function nameOf({ name, call }: ToolCall): string {
  return `${name}\u0000${call ?? ''}`
}

/** The same call of the model carried out once more: another attempt at one operation. */
function repeatName(call: ToolCall): string {
  return `${nameOf(call)}\u0000${call.agent ?? ''}\u0000${JSON.stringify(call.args) ?? ''}`
}
