import type { Encoder } from './encoder.ts'

/** Messages of CopilotKit: a call is named by the id of its message. */
export const copilotKit: Encoder = {
  message: ({ id, role, content }) => ({ type: 'TextMessage', id, ...SENT, role, content }),
  call: ({ call, tool, args }) => ({
    ...{ type: 'ActionExecutionMessage', id: call, ...SENT, name: tool, arguments: args },
    parentMessageId: 'm-1',
  }),
  result: ({ id, call, tool, content }) => ({
    ...{ type: 'ResultMessage', id, ...SENT, actionExecutionId: call, actionName: tool, result: content },
  }),
}

const SENT = { createdAt: '2026-01-01T10:00:00.000Z', status: { code: 'Success' } }
