import { actOf, bindingsOf, keyName } from '../keys.ts'
import { type Line, wrap } from '../lines.ts'
import type { ScreenName } from '../screen.ts'
import { TextScreen } from './text.ts'

/** Every key of a screen, made from the table of bindings. */
export function helpScreen(screen: ScreenName): TextScreen {
  return new TextScreen(`keys of ${screen}`, (width) => helpLines(screen, width))
}

const KEYS_WIDTH = 18

const FILTERS =
  'agent:orders check:op-in-doubt-key-missing severity:error since:1h is:in-doubt -run:test words'

function helpLines(screen: ScreenName, width: number): Line[] {
  const bindings = bindingsOf(screen)
  const own = bindings.filter(({ screens }) => screens !== undefined)
  const everywhere = bindings.filter(({ screens }) => screens === undefined)
  const lines = ({ keys, act, description }: (typeof bindings)[number]): Line[] => {
    // A key that does something else on this screen is not shown with what it does on others.
    const own = keys.filter((key) => actOf(screen, key) === act).map(keyName)
    return wrap(description, width - KEYS_WIDTH).map(
      (part, at): Line => [
        { text: (at === 0 ? own.join(' ') : '').padEnd(KEYS_WIDTH), tone: 'key' },
        { text: part },
      ],
    )
  }
  return [
    [{ text: `on this screen (${screen})`, tone: 'title' }],
    ...own.flatMap(lines),
    [],
    [{ text: 'everywhere', tone: 'title' }],
    ...everywhere.flatMap(lines),
    [],
    [{ text: 'filters', tone: 'title' }],
    ...wrap(FILTERS, width).map((text): Line => [{ text }]),
  ]
}
