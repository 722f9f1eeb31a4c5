export { type A2AClientOptions, clientInterceptor, instrumentClient } from './a2a-client.ts'
export { type A2AExecutorOptions, instrumentExecutor } from './a2a-executor.ts'
export { HANDSPAN_EXTENSION } from './a2a-message.ts'
