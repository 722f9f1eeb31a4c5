import { needsStore } from './paste.ts'
import { TableScreen } from './screens/table.ts'
import type { Session } from './session.ts'

/** Opens the line for a query. What can be asked is read meanwhile, for Tab. */
export function askSql(session: Session): void {
  if (session.source.sql === undefined) {
    session.say(needsStore('SQL needs', session), 'warning')
    return
  }
  session.ask('sql')
  if (session.schema.size > 0) return
  void session.source.schema?.().then(
    (schema) => {
      session.schema = schema
    },
    (error) => session.fail(error),
  )
}

/** Asks the store, and shows the answer. */
export function runSql(session: Session, query: string): void {
  if (session.source.sql === undefined) session.say(needsStore('SQL needs', session), 'warning')
  else {
    const { screen } = session
    const asked = session.source.sql(query)
    void session.during('asking', asked, (answer) => session.push(new TableScreen(session, query, answer)))
    // The line comes back to be mended, unless somebody went on meanwhile.
    asked.catch(() => {
      if (session.screen === screen && session.prompt === undefined) session.ask('sql', query)
    })
  }
}
