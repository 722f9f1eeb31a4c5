import { render } from 'ink'
import { App } from './components/app.tsx'
import type { Session } from './session.ts'
import type { Streams } from './terminal.ts'

/** Keeps the session painted with `paint`, and gives it what is typed. */
export function mount(
  session: Session,
  { stdin, stdout }: Streams,
  paint: (lines: readonly string[]) => void,
): { unmount(): void } {
  return render(<App session={session} paint={paint} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  })
}
