import { BINDINGS } from './bindings.ts'

/*
 * One table of bindings (bindings.ts). It feeds the dispatch of keys, the footer, the help screen and docs/keys.md, so that
 * none of them can say something else than the others.
 */

export { BINDINGS }

export type ScreenName =
  | 'runs'
  | 'replay'
  | 'diff'
  | 'viewer'
  | 'findings'
  | 'metrics'
  | 'table'
  | 'lab'
  | 'what-if'
  | 'pick'
  | 'compare'
  | 'text'

export type Act =
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'halfDown'
  | 'halfUp'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | 'quit'
  | 'help'
  | 'suspend'
  | 'redraw'
  | 'command'
  | 'search'
  | 'nextMatch'
  | 'previousMatch'
  | 'filter'
  | 'sql'
  | 'copy'
  | 'sort'
  | 'follow'
  | 'stepBack'
  | 'stepOn'
  | 'previousHandoff'
  | 'nextHandoff'
  | 'nextProblem'
  | 'previousProblem'
  | 'play'
  | 'faster'
  | 'slower'
  | 'inspect'
  | 'nextPane'
  | 'nextTab'
  | 'previousTab'
  | 'fold'
  | 'unfold'
  | 'foldAll'
  | 'changes'
  | 'whatIf'
  | 'compare'
  | 'write'
  | 'definition'
  | 'group'
  | 'other'
  | 'nextColumn'
  | 'previousColumn'
  | 'toRuns'
  | 'toReplay'
  | 'toDiff'
  | 'toFindings'
  | 'toMetrics'
  | 'toLab'

export type Binding = {
  keys: readonly string[]
  act: Act
  /** Where it holds; everywhere if left out. */
  screens?: readonly ScreenName[]
  description: string
  /** Its word in the footer; left out, the footer does not show it. */
  footer?: string
}

/** What a key does on a screen; undefined if nothing. */
export function actOf(screen: ScreenName, key: string): Act | undefined {
  return bindingsOf(screen).find(({ keys }) => keys.includes(key))?.act
}

/** The bindings that hold on a screen, those of its own first. */
export function bindingsOf(screen: ScreenName): Binding[] {
  return BINDINGS.filter(({ screens }) => screens === undefined || screens.includes(screen))
}

const SHOWN: Record<string, string> = {
  down: '↓',
  up: '↑',
  left: '←',
  right: '→',
  esc: 'Esc',
  enter: 'Enter',
  space: 'Space',
  tab: 'Tab',
  'shift+tab': 'Shift-Tab',
  pagedown: 'PgDn',
  pageup: 'PgUp',
  home: 'Home',
  end: 'End',
  backspace: 'Backspace',
}

/** A key as people read it. */
export function keyName(key: string): string {
  return SHOWN[key] ?? key.replace(/^ctrl\+(.)$/, (_, letter: string) => `^${letter.toUpperCase()}`)
}
