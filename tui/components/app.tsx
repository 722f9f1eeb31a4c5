import { useInput } from 'ink'
import { Component, type ReactNode, useSyncExternalStore } from 'react'
import { frame } from '../frame.ts'
import { readInput } from '../input.ts'
import type { Session } from '../session.ts'
import { ScreenLines } from './screen-lines.tsx'

/** Paints the session, and gives it the keys. */
export function App({ session }: { session: Session }) {
  return (
    <Crash onError={(error) => session.outside.quit(error)}>
      <Painted session={session} />
    </Crash>
  )
}

function Painted({ session }: { session: Session }) {
  useSyncExternalStore(session.subscribe, () => session.version)
  useInput((input, key) => {
    for (const one of readInput(input, key)) session.input(one)
  })
  return <ScreenLines lines={frame(session)} width={session.size.width} theme={session.theme} />
}

/** An error while painting ends the program, and is printed where it can be read. */
class Crash extends Component<{ onError(error: unknown): void; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    this.props.onError(error)
  }

  override render() {
    return this.state.failed ? null : this.props.children
  }
}
