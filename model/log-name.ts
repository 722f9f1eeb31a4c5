/** Whether a file is named as run logs are: `.jsonl` or `.ndjson`, one event a line. */
export function isLogName(name: string): boolean {
  return name.endsWith('.jsonl') || name.endsWith('.ndjson')
}
