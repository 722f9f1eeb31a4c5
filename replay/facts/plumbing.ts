import type { Item } from '../../model/items.ts'

// What a conversation is made of when no tool is used. Everything else a runtime keeps beside it belongs to its tools.
const CONVERSATION = new Set([
  'message',
  'text',
  'reasoning',
  'thinking',
  'summary',
  'compaction',
  'file',
  'image',
  'audio',
  'video',
  'document',
  'note',
  'constraint',
  'commitment',
  'refusal',
  'unknown',
])
const PLUMBING =
  /call|result|tool|mcp|shell|patch|approval|interpreter|search|computer|exec|code|handoff|transfer/iu
const ATTACHMENT = /^(input_|output_)?(file|image|audio|video|document|attachment)(_url)?$/iu
const TRANSFER = /^(transfer|handoff|hand_off|handover|hand_over|delegate)(_back)?_(to|from)(_|$)/u

/** True for what tools leave in a conversation: calls and results of any kind, hosted ones and requests for a yes. */
export function isPlumbing(item: Item): boolean {
  if (CONVERSATION.has(item.type) || isAttachment(item)) return false
  return item.call !== undefined || PLUMBING.test(item.type)
}

/** True for a file, image or recording that stands as an item of its own. */
export function isAttachment(item: Item): boolean {
  return ATTACHMENT.test(item.type)
}

/** True for a tool that hands over: `transfer_to_billing`, `handoffToBilling`. */
export function isTransferTool(tool: string | undefined): boolean {
  return tool !== undefined && TRANSFER.test(tool.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase())
}
