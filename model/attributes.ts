/*
 * The attributes of handoff spans: one table, so that a change of a name is a change of one line and the documentation
 * can be printed from it. Own namespace, since nothing about the payload of a handoff is standardised; attributes of
 * the GenAI conventions are set only with their registered meaning. A span never holds content: sizes, counts, hashes,
 * names and references only.
 */

type AttributeType = 'string' | 'int' | 'boolean' | 'string[]'

type Attribute = { name: string; type: AttributeType; meaning: string }

function attribute(name: string, type: AttributeType, meaning: string): Attribute {
  return { name, type, meaning }
}

/** Version of this table, written on every span. */
export const ATTRIBUTES_VERSION = '1'

/** Attributes of the handoff itself. */
export const handoffAttributes = {
  version: attribute('handspan.schema.version', 'string', 'Version of these attributes.'),
  handoff: attribute(
    'handspan.handoff.id',
    'string',
    'With handspan.run.id it joins both sides; the trace id does not.',
  ),
  run: attribute('handspan.run.id', 'string', 'The run, the same in every process.'),
  side: attribute('handspan.side', 'string', 'sent or received.'),
  attempt: attribute('handspan.attempt', 'int', '1 for the first delivery.'),
  source: attribute('handspan.source.name', 'string', 'Who hands over.'),
  target: attribute('handspan.target.name', 'string', 'Who is to take over, or did.'),
  mode: attribute(
    'handspan.handoff.mode',
    'string',
    'transfer, delegate, return, resume, escalate or notify.',
  ),
  transferMode: attribute(
    'handspan.transfer.mode',
    'string',
    'pass_control or return_to_caller, where the mode says so (values of the pending GenAI convention).',
  ),
  transport: attribute('handspan.transport', 'string', 'in_process, http, queue, a2a, mcp or file, if told.'),
  reason: attribute('handspan.handoff.reason', 'string', 'Why, redacted, at most 256 characters.'),
  requestedAction: attribute('handspan.requested_action', 'string', 'review, continue, approve or execute.'),
  outcome: attribute(
    'handspan.outcome',
    'string',
    'sent, received, accepted, declined, unknown, refused, refused-before-effect or dead_lettered.',
  ),
  filters: attribute('handspan.filter.names', 'string[]', 'Filters that the sender declared.'),
  filteredItems: attribute(
    'handspan.filtered.item.count',
    'int',
    'Items the sender had and the receiver got not.',
  ),
  filteredMessages: attribute('handspan.filtered.message.count', 'int', 'Of these, messages.'),
  filteredCalls: attribute('handspan.filtered.tool_call.count', 'int', 'Of these, tool calls.'),
  filteredResults: attribute('handspan.filtered.tool_result.count', 'int', 'Of these, tool results.'),
  missingConstraints: attribute(
    'handspan.constraint.missing.count',
    'int',
    'Sent in the record, not received.',
  ),
  addedConstraints: attribute('handspan.constraint.added.count', 'int', 'Received, not sent.'),
  missingOperations: attribute(
    'handspan.open_operation.missing.count',
    'int',
    'Keys of operations in doubt that were sent and not received.',
  ),
  artifacts: attribute('handspan.artifact.refs', 'string[]', 'References to evidence and files, at most 32.'),
  origin: attribute('handspan.origin.kind', 'string', 'human, org, system, schedule or agent.'),
  orphan: attribute('handspan.orphan', 'boolean', 'true: nothing said where the handoff came from.'),
  linkType: attribute('handspan.link.type', 'string', 'On the link to the sender span: handoff.'),
  agent: attribute('gen_ai.agent.name', 'string', 'The agent on this side.'),
  toolCall: attribute('gen_ai.tool.call.id', 'string', "The model's call that caused the handoff."),
  error: attribute('error.type', 'string', 'Name or code of the error; never its message.'),
} as const

/** Attributes of what was put in (`sent`) and what arrived (`received`): the same leaves on both sides. */
export function payloadAttributes(side: 'sent' | 'received') {
  const leaf = (name: string, type: AttributeType, meaning: string) =>
    attribute(`handspan.${side}.${name}`, type, meaning)
  return {
    size: leaf('size', 'int', 'Items, record, instructions and tools, bytes of compact JSON.'),
    hash: leaf('hash', 'string', 'Over items and record as RFC 8785 JSON.'),
    items: leaf('item.count', 'int', 'Conversation items.'),
    itemSize: leaf('item.size', 'int', 'Of the items alone, bytes of compact JSON.'),
    tokens: leaf('token.estimate', 'int', 'Items in tokens: bytes/4, or as the program told.'),
    recordSize: leaf('record.size', 'int', 'Of the record, bytes of compact JSON; 0 if there is none.'),
    recordKeys: leaf('record.keys', 'string[]', 'Fields of the record, sorted.'),
    contract: leaf(
      'contract.fields',
      'string[]',
      'Of intent, constraints, status, evidence, next_action, stop_condition: those that say something.',
    ),
    constraints: leaf('constraint.count', 'int', 'Constraints in the record.'),
    constraintHashes: leaf('constraint.hashes', 'string[]', 'Sorted, cut to 16 hex digits, at most 64.'),
    operations: leaf('open_operation.count', 'int', 'Operations in doubt in the record.'),
    operationKeys: leaf('open_operation.key.hashes', 'string[]', 'Hashes of their keys, as above.'),
    approvals: leaf('pending_action.count', 'int', 'Approvals that wait.'),
  } as const
}
