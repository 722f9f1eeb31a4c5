import type { Act } from './act.ts'
import { BINDINGS, type Binding } from './bindings.ts'
import type { ScreenName } from './screen.ts'

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
