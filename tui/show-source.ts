import { plural } from '../model/counts.ts'
import { completer, runCommand } from './commands.ts'
import { refreshScreens } from './follow.ts'
import { navigate, openRun } from './navigate.ts'
import type { Routes } from './routes.ts'
import { RunsScreen } from './screens/runs.ts'
import type { Session } from './session.ts'
import type { Source } from './source.ts'

/** The list of runs, and over it the run that was named; a source with one run opens that run at once. */
export async function showSource(session: Session, source: Source, named?: string): Promise<void> {
  session.opened(source, routesOf(session))
  const runs = new RunsScreen(session)
  session.replace(runs)
  await runs.reload()
  const only = named ?? (await onlyRun(source))
  if (only !== undefined && session.screen === runs) openRun(session, only)
  sayUnread(session, source)
  // What agents wrote since the database was last open; the list is there meanwhile.
  await session.during('reading what is new', source.refresh(progress(session)), (news) => {
    if (news) void refreshScreens(session)
  })
}

function routesOf(session: Session): Routes {
  return {
    command: (line) => runCommand(session, line),
    navigate: (act) => navigate(session, act),
    completer: (kind) => completer(session, kind),
    openRun: (name) => openRun(session, name),
  }
}

/** Files and lines that could not be read may be the ones that are missed. */
function sayUnread(session: Session, { unread = [], refused = [] }: Source): void {
  const files = unread.map(({ reason }) => reason)
  const lines = refused.map(({ file, line, reason }) => `${file}:${line}: ${reason}`)
  const [first, ...others] = [...files, ...lines]
  if (first === undefined) return
  const more =
    others.length === 0
      ? ''
      : `  ${plural(others.length, 'more file or line', 'more files or lines')} not read`
  session.say(`${first}${more}`, 'warning')
}

async function onlyRun(source: Source): Promise<string | undefined> {
  if (source.directory !== undefined) return undefined
  const rows = await source.page({ terms: [], sort: 'time' }, 0, 2)
  return rows.length === 1 ? rows[0]!.run : undefined
}

function progress(session: Session) {
  return ({ phase, done, total }: { phase: string; done: number; total: number }) => {
    const share = total === 0 ? '' : ` ${Math.floor((100 * done) / total)} %`
    session.say(phase === 'read' ? `reading what is new${share}` : `judging runs${share}`)
  }
}
