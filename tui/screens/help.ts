import { actOf, bindingsOf, keyName, type ScreenName } from '../keys.ts'
import type { Line } from '../lines.ts'
import { TextScreen } from './text.ts'

/** Every key of a screen, made from the table of bindings. */
export function helpScreen(screen: ScreenName): TextScreen {
  return new TextScreen(`keys of ${screen}`, () => helpLines(screen))
}

export function helpLines(screen: ScreenName): Line[] {
  const bindings = bindingsOf(screen)
  const own = bindings.filter(({ screens }) => screens !== undefined)
  const everywhere = bindings.filter(({ screens }) => screens === undefined)
  const line = ({ keys, act, description }: (typeof bindings)[number]): Line => [
    // A key that does something else on this screen is not shown with what it does on others.
    {
      text: keys
        .filter((key) => actOf(screen, key) === act)
        .map(keyName)
        .join(' ')
        .padEnd(18),
      tone: 'key',
    },
    { text: description },
  ]
  return [
    [{ text: `on this screen (${screen})`, tone: 'title' }],
    ...own.map(line),
    [],
    [{ text: 'everywhere', tone: 'title' }],
    ...everywhere.map(line),
    [],
    [{ text: 'filters', tone: 'title' }],
    [
      {
        text: 'agent:orders check:op-in-doubt-key-missing severity:error since:1h is:in-doubt -run:test words',
      },
    ],
  ]
}
