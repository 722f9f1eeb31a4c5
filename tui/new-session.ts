import { TextScreen } from './screens/text.ts'
import { type Outside, Session } from './session.ts'
import { chooseTheme } from './theme.ts'

/** A session that can be painted before anything was read. */
export function newSession(outside: Outside, name: string): Session {
  const session = new Session({ outside, theme: chooseTheme(process.env) })
  session.push(new TextScreen(`opening ${name} …`, () => []))
  return session
}
