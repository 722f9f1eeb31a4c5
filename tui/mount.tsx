import { render } from 'ink'
import { App } from './components/app.tsx'
import { withEscapeKey } from './escape-key.ts'
import type { Session } from './session.ts'
import type { Streams } from './terminal.ts'

/** Keeps the session painted with `paint`, and gives it what is typed. */
export function mount(
  session: Session,
  { stdin, stdout }: Streams,
  paint: (lines: readonly string[]) => void,
): { unmount(): void } {
  const typed = withEscapeKey(stdin)
  const mounted = render(<App session={session} paint={paint} />, {
    stdin: typed.stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  return {
    unmount() {
      mounted.unmount()
      typed.release()
    },
  }
}
