import { render } from 'ink'
import { App } from './components/app.tsx'
import type { Session } from './session.ts'
import type { Streams } from './terminal.ts'

// Frames at most; a key alone is painted at once.
const MOST_FRAMES_A_SECOND = 60

/** Paints the session on a terminal and gives it what is typed there. */
export function mount(session: Session, { stdin, stdout }: Streams): { unmount(): void } {
  return render(<App session={session} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: true,
    maxFps: MOST_FRAMES_A_SECOND,
  })
}
