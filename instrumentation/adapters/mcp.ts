export { instrumentClient, type MCPClient, type MCPClientOptions } from './mcp-client.ts'
export { instrumentServer, type MCPServer, type MCPServerOptions } from './mcp-server.ts'
export type { ToolCall, ToolHints, ToolInfo } from './shared-options.ts'
