import { useInput } from 'ink'
import { Component, type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react'
import { frame } from '../frame.ts'
import { readInput } from '../input.ts'
import { paintLine } from '../paint-line.ts'
import type { Session } from '../session.ts'

type Painting = { session: Session; paint(lines: readonly string[]): void }

/** Paints the session, and gives it the keys. */
export function App(props: Painting) {
  return (
    <Crash onError={(error) => props.session.outside.quit(error)}>
      <Painted {...props} />
    </Crash>
  )
}

/** Renders nothing through ink, which would compose the whole screen for every key: the painter writes what changed. */
function Painted({ session, paint }: Painting) {
  useSyncExternalStore(session.subscribe, () => session.version)
  useInput((input, key) => {
    for (const one of readInput(input, key)) session.input(one)
  })
  const lines = frame(session).map((line) => paintLine(line, session.theme))
  useLayoutEffect(() => paint(lines))
  return null
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
