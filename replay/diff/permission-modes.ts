/** Modes of permission from the strictest to the loosest, where runtimes agree on a word. Case and separators are ignored. */
const LOOSENESS: Record<string, number> = {
  plan: 0,
  planning: 0,
  planmode: 0,
  readonly: 0,
  default: 1,
  ask: 1,
  askfirst: 1,
  askalways: 1,
  alwaysask: 1,
  confirm: 1,
  manual: 1,
  prompt: 1,
  prompts: 1,
  suggest: 1,
  supervised: 1,
  acceptedits: 2,
  autoedit: 2,
  auto: 3,
  autoapprove: 3,
  fullauto: 4,
  noprompts: 4,
  noprompt: 4,
  neverask: 4,
  dontask: 4,
  bypass: 4,
  bypasspermissions: 4,
  skippermissions: 4,
  unattended: 4,
  fullaccess: 4,
  dangerfullaccess: 4,
  yolo: 4,
}

function loosenessOf(mode: string | undefined): number | undefined {
  return LOOSENESS[mode?.toLowerCase().replace(/[^a-z]/g, '') ?? '']
}

/** True if the first mode allows more than the second; unknown words are not compared. */
export function looser(mode: string | undefined, than: string | undefined): boolean {
  const x = loosenessOf(mode)
  const y = loosenessOf(than)
  return x !== undefined && y !== undefined && x > y
}

/** True for a mode in which nothing may be changed. */
export function isStrictest(mode: string | undefined): boolean {
  return loosenessOf(mode) === 0
}
