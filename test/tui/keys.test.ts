import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINDINGS } from '../../tui/bindings.ts'
import { footer } from '../../tui/frame.ts'
import { readInput } from '../../tui/input.ts'
import { actOf, bindingsOf } from '../../tui/keys.ts'
import { keysPage } from '../../tui/keys-page.ts'
import { cells, textOfLine } from '../../tui/lines.ts'
import type { ScreenName } from '../../tui/screen.ts'

const SCREENS = [...new Set(BINDINGS.flatMap(({ screens }) => screens ?? []))] as ScreenName[]

const NONE = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
}

// Keys that ink 6 tells apart, and what their names are here. It says nothing of F1.
const NAMED = {
  up: { upArrow: true },
  down: { downArrow: true },
  left: { leftArrow: true },
  right: { rightArrow: true },
  pagedown: { pageDown: true },
  pageup: { pageUp: true },
  home: { home: true },
  end: { end: true },
  enter: { return: true },
  esc: { escape: true },
  tab: { tab: true },
  'shift+tab': { tab: true, shift: true },
  backspace: { delete: true },
}

describe('bindings', () => {
  it('name only keys that can be read', () => {
    const named = Object.entries(NAMED).map(([name, flags]) => {
      expect(readInput('', { ...NONE, ...flags })).toEqual([{ key: name }])
      return name
    })
    const others = BINDINGS.flatMap(({ keys }) => keys).filter((key) => !named.includes(key))
    for (const key of others) {
      const letter = /^ctrl\+([a-z])$/u.exec(key)?.[1]
      const read = readInput(letter ?? (key === 'space' ? ' ' : key), { ...NONE, ctrl: letter !== undefined })
      expect(read.map((input) => 'key' in input && input.key)).toEqual([key])
    }
  })

  it.each(SCREENS)('%s: every binding can be reached by one of its keys', (screen) => {
    const unreachable = bindingsOf(screen).filter(
      ({ keys, act }) => !keys.some((key) => actOf(screen, key) === act),
    )
    expect(unreachable).toEqual([])
  })

  it.each(SCREENS)('%s: arrows, help, back and quit work, and the footer says so', (screen) => {
    expect(['down', 'up', '?', 'esc', 'q', 'ctrl+c'].map((key) => actOf(screen, key))).toEqual([
      'down',
      'up',
      'help',
      'back',
      'quit',
      'quit',
    ])
    for (const width of [40, 80, 200]) {
      const text = textOfLine(footer(screen, width))
      expect(text).toMatch(/\? help {2}q quit/)
      expect(cells(text)).toBeLessThanOrEqual(width + 2)
    }
  })

  it('docs/keys.md is made from the table', () => {
    const file = join(import.meta.dirname, '../../docs/keys.md')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, keysPage())
    expect(readFileSync(file, 'utf8')).toBe(keysPage())
  })
})

describe('input', () => {
  const keys = (input: string, flags = {}) =>
    readInput(input, { ...NONE, ...flags }).map((one) => ('key' in one ? one.key : one))

  it('takes several keys out of one chunk', () => {
    expect(keys('jjk\r')).toEqual(['j', 'j', 'k', 'enter'])
    expect(keys('\u0003')).toEqual(['ctrl+c'])
  })

  it('keeps a lone bracket as a key and drops sequences that nobody knows', () => {
    expect(keys('[')).toEqual(['['])
    expect(keys('[200~')).toEqual([])
    expect(keys('[<64;10;5M')).toEqual([])
  })

  it('knows escape although ink calls it meta as well, and DEL as backspace', () => {
    expect(keys('', { escape: true, meta: true })).toEqual(['esc'])
    expect(keys('', { delete: true })).toEqual(['backspace'])
    expect(keys('', { tab: true, shift: true })).toEqual(['shift+tab'])
    expect(keys('d', { ctrl: true })).toEqual(['ctrl+d'])
  })

  it('takes many characters at once for a paste', () => {
    expect(keys('q'.repeat(40))).toEqual([{ paste: 'q'.repeat(40) }])
  })
})
