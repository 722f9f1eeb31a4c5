import type { Outside } from './outside.ts'
import type { Paste } from './paste.ts'
import { TextScreen } from './screens/text.ts'
import { Session } from './session.ts'
import { chooseTheme } from './theme.ts'
import type { TraceLink } from './trace-link.ts'

/** A session that can be painted before anything was read. */
export function newSession(
  outside: Outside,
  name: string,
  told: { traceLink?: TraceLink | undefined; paste?: Paste | undefined } = {},
): Session {
  const session = new Session({ outside, theme: chooseTheme(process.env), ...told })
  session.push(new TextScreen(`opening ${name} …`, () => []))
  return session
}
