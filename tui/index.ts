// The terminal UI. Everything heavy (ink, react, DuckDB) is loaded inside runTui.

import { writeFile } from 'node:fs/promises'
import { paintLine } from './paint-line.ts'
import type { Paste } from './paste.ts'
import type { Project } from './project.ts'
import type { Source } from './source.ts'
import { canDraw, takeTerminal } from './terminal.ts'
import { traceLinks } from './trace-link.ts'

/** What to show: the captures of a directory, one run of them first, or run-log files that are read directly. */
export type Shown = { directory: string; run?: string | undefined } | { files: readonly string[] }

/**
 * Opens the terminal UI and resolves when the user leaves it, with the exit code. `plain`, and every place that is no
 * terminal to draw on, gets the same screens as text on stdout instead. Throws what the source throws if it cannot be
 * opened, after the terminal was put back. `project` reads what the project configures; it is called after the first frame.
 * `paste` makes a command out of words, as a user can paste it. `sayUnread` says beside the text what is not in it.
 */
export async function runTui(options: {
  source: Shown
  plain?: boolean
  project?: () => Promise<Project>
  paste?: Paste
  sayUnread?: (source: Pick<Source, 'unread' | 'refused'>) => void
}): Promise<number> {
  const { stdin, stdout } = process
  if (options.plain || !canDraw({ stdin, stdout }, process.env)) {
    const { printPlain } = await import('./plain.ts')
    const source = await openSource(options.source, options.project)
    options.sayUnread?.(source)
    await printPlain(source, (text) => stdout.write(`${text}\n`), stdout.columns || 100, {
      run: 'run' in options.source ? options.source.run : undefined,
      paste: options.paste,
    })
    return 0
  }
  return draw(options.source, options)
}

async function openSource(shown: Shown, project?: () => Promise<Project>): Promise<Source> {
  const known = await project?.()
  if ('files' in shown) return (await import('./file-source.ts')).openFileSource(shown.files, known)
  return (await import('./store-source.ts')).openStoreSource(shown.directory, known)
}

async function draw(
  shown: Shown,
  { project, paste }: { project?: () => Promise<Project>; paste?: Paste },
): Promise<number> {
  // React's development build is several times slower; it asks this when it is loaded.
  process.env.NODE_ENV ??= 'production'
  const { newSession } = await import('./new-session.ts')
  const { frame } = await import('./frame.ts')
  const traceLink = traceLinks(process.env.HANDSPAN_TRACE_URL)
  let finish: (end: { code: number; error?: unknown }) => void = () => {}
  const ended = new Promise<{ code: number; error?: unknown }>((resolve) => {
    finish = resolve
  })
  const terminal = takeTerminal(process, (code, error) => finish({ code, error }))
  const session = newSession(
    {
      copy: (text) => terminal.copy(text),
      suspend: () => terminal.suspend(),
      redraw: () => terminal.redraw(),
      write: (path, text, { force }) => writeFile(path, text, { flag: force ? 'w' : 'wx' }),
      quit: (error) => finish({ code: error === undefined ? 0 : 2, error }),
    },
    nameOf(shown),
    { traceLink, paste },
  )
  const resize = () => {
    session.size = terminal.size()
    session.changed()
  }
  resize()
  terminal.onResize(resize)
  terminal.onResume((stopped) => {
    session.size = terminal.size()
    session.say(stopped ? 'back again' : 'no shell started this, so there is none to go back to; q quits')
  })
  // Before ink is loaded, which takes a while.
  terminal.paint(frame(session).map((line) => paintLine(line, session.theme)))
  const { mount } = await import('./mount.tsx')
  const mounted = mount(session, process, terminal.paint)
  // The first frame is painted before anything is opened, which can take seconds for large files.
  const source = new Promise((painted) => setTimeout(painted)).then(() => openSource(shown, project))
  const shows = source.then(async (opened) => {
    const { showSource } = await import('./show-source.ts')
    await showSource(session, opened, 'run' in shown ? shown.run : undefined)
  })
  shows.catch((error) => finish({ code: 2, error }))
  const { code, error } = await ended
  session.close()
  mounted.unmount()
  terminal.leave()
  await source.then((opened) => opened.close()).catch(() => {})
  if (error !== undefined) throw error
  return code
}

function nameOf(shown: Shown): string {
  return 'files' in shown ? shown.files.join(' ') : shown.directory
}
