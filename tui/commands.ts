import { compareCommand } from './compare.ts'
import { completeCommand, completeFilter, completeSql } from './completion.ts'
import { ENDINGS, formOf } from './export.ts'
import type { PromptKind } from './prompt.ts'
import { helpScreen } from './screens/help.ts'
import type { Session } from './session.ts'
import { runSql } from './sql.ts'
import { THEMES, type ThemeName } from './theme.ts'

type Command = { names: readonly string[]; usage: string; act(session: Session, rest: string): void }

export const COMMANDS: readonly Command[] = [
  { names: ['q', 'q!', 'quit'], usage: 'q', act: (session) => session.outside.quit() },
  {
    names: ['r', 'run'],
    usage: 'run ID',
    act: (session, rest) => needs(session, rest, 'run ID', () => session.openRun(rest)),
  },
  {
    names: ['sql'],
    usage: 'sql QUERY',
    act: (session, rest) => needs(session, rest, 'sql QUERY', () => runSql(session, rest)),
  },
  {
    names: ['compare'],
    usage: 'compare RUN [HANDOFF]',
    act: (session, rest) =>
      needs(session, rest, 'compare RUN [HANDOFF]', () => compareCommand(session, rest)),
  },
  {
    names: ['w', 'write'],
    usage: 'write FILE',
    act: (session, rest) => needs(session, rest, 'write FILE', () => write(session, rest, false)),
  },
  {
    names: ['w!', 'write!'],
    usage: 'write! FILE',
    act: (session, rest) => needs(session, rest, 'write! FILE', () => write(session, rest, true)),
  },
  { names: ['theme'], usage: `theme ${Object.keys(THEMES).join('|')}`, act: setTheme },
  { names: ['h', 'help'], usage: 'help', act: (session) => session.push(helpScreen(session.screen.name)) },
]

/** Runs a line of the command line; says what there is if it knows no such command. */
export function runCommand(session: Session, line: string): void {
  if (line === '') return
  const name = line.split(/\s+/u)[0]!
  const command = COMMANDS.find(({ names }) => names.includes(name))
  if (command === undefined)
    session.say(`no command ${name}; there are ${COMMANDS.map(({ usage }) => usage).join(', ')}`, 'error')
  else command.act(session, line.slice(name.length).trim())
}

/** What Tab completes in a line of a kind. */
export function completer(session: Session, kind: PromptKind) {
  const names = COMMANDS.map((command) => command.names.at(-1)!)
  if (kind === 'sql') return (before: string, whole: string) => completeSql(before, whole, session.schema)
  if (kind === 'filter') return completeFilter
  return kind === 'command' ? (before: string) => completeCommand(before, names) : undefined
}

function needs(session: Session, rest: string, usage: string, act: () => void): void {
  if (rest === '') session.say(`write :${usage}`, 'warning')
  else act()
}

function setTheme(session: Session, name: string): void {
  if (Object.hasOwn(THEMES, name)) session.setTheme(name as ThemeName)
  else session.say(`no theme ${name}; there are ${Object.keys(THEMES).join(', ')}`, 'error')
}

/** Writes the view on top in the form that the name of the file asks for. */
function write(session: Session, file: string, force: boolean): void {
  const form = formOf(file)
  const exported = session.screen.exported?.()
  if (form === undefined) session.say(`${file}: the name ends in one of ${ENDINGS.join(', ')}`, 'error')
  else if (exported === undefined) session.say('this screen has nothing to write', 'warning')
  else {
    const written = session.outside.write(file, form(exported), { force }).catch((error) => {
      if (error.code === 'ENOENT') throw new Error(`${file} cannot be written: its folder does not exist`)
      if (error.code !== 'EEXIST') throw error
      throw new Error(`${file} exists already; :write! ${file} replaces it`)
    })
    void session.during(`writing ${file}`, written, () => session.say(`written to ${file}`, 'good'))
  }
}
