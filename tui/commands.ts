import { extname } from 'node:path'
import { plainText } from './lines.ts'
import { helpScreen } from './screens/help.ts'
import { TableScreen } from './screens/table.ts'
import type { Session } from './session.ts'
import { THEMES, type ThemeName } from './theme.ts'

const EXPORT_WIDTH = 120

type Command = { names: readonly string[]; usage: string; act(session: Session, rest: string): void }

export const COMMANDS: readonly Command[] = [
  { names: ['q', 'quit', 'q!'], usage: 'q', act: (session) => session.outside.quit() },
  {
    names: ['run', 'r'],
    usage: 'run ID',
    act: (session, rest) => needs(session, rest, 'run ID', () => session.openRun(rest)),
  },
  {
    names: ['sql'],
    usage: 'sql QUERY',
    act: (session, rest) => needs(session, rest, 'sql QUERY', () => runSql(session, rest)),
  },
  {
    names: ['w', 'write'],
    usage: 'write FILE',
    act: (session, rest) => needs(session, rest, 'write FILE', () => write(session, rest)),
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

function needs(session: Session, rest: string, usage: string, act: () => void): void {
  if (rest === '') session.say(`write :${usage}`, 'warning')
  else act()
}

function runSql(session: Session, query: string): void {
  if (session.source.sql === undefined)
    session.say('SQL needs a store; files have none. handspan import FILE', 'warning')
  else
    void session.during('asking', session.source.sql(query), (answer) =>
      session.push(new TableScreen(session, query, answer)),
    )
}

function setTheme(session: Session, name: string): void {
  if (Object.hasOwn(THEMES, name)) session.setTheme(name as ThemeName)
  else session.say(`no theme ${name}; there are ${Object.keys(THEMES).join(', ')}`, 'error')
}

/** Writes the view on top: JSON if the file is called so, else Markdown. */
function write(session: Session, file: string): void {
  const exported = session.screen.exported?.(EXPORT_WIDTH)
  if (exported === undefined) {
    session.say('this screen has nothing to write', 'warning')
    return
  }
  const { title, lines, value } = exported
  const text =
    extname(file) === '.json'
      ? `${JSON.stringify({ title, view: session.screen.name, value }, null, 2)}\n`
      : markdown(title, plainText(lines))
  void session.during(`writing ${file}`, session.outside.write(file, text), () =>
    session.say(`written to ${file}`, 'good'),
  )
}

/** The lines in a block that none of them can end. */
function markdown(title: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `# ${plainText([[{ text: title.replace(/\s+/gu, ' ') }]])}\n\n${fence}text\n${text}\n${fence}\n`
}
