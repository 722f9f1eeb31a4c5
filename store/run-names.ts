import { escapeText } from '../model/escape.ts'
import { StoreError } from './errors.ts'
import type { StorePaths } from './paths.ts'
import type { Store } from './store.ts'

/**
 * The run that a name means: an id, or the only run whose id begins or ends with it, or `latest`.
 * An orphan that was joined into the run of its sender means that one. Throws `no-such-run`.
 */
export async function findRun(
  store: Pick<Store, 'query'> & { paths: Pick<StorePaths, 'directory'> },
  name: string,
): Promise<string> {
  if (name === 'latest') {
    const newest = await store.query(
      'SELECT run FROM runs ORDER BY started_at DESC NULLS LAST, run DESC LIMIT 1',
    )
    if (newest[0] !== undefined) return String(newest[0].run)
    throw new StoreError('no-such-run', `There is no run in ${store.paths.directory} yet`, {
      remedy: 'handspan demo records some, handspan import FILE takes in a run log.',
    })
  }
  const rows = await store.query(
    'SELECT run FROM runs WHERE run = $1 OR starts_with(run, $1) OR ends_with(run, $1) ORDER BY run = $1 DESC, run LIMIT 6',
    [name],
  )
  const found = rows.map(({ run }) => String(run))
  if (found[0] === name || found.length === 1) return found[0]!
  if (found.length === 0) {
    const [joined] = await store.query('SELECT run FROM joined WHERE orphan = $1', [name])
    if (joined !== undefined) return String(joined.run)
    throw new StoreError('no-such-run', `There is no run ${name} in ${store.paths.directory}`, {
      remedy: 'handspan runs lists the runs; a run-log file can be named by its path.',
    })
  }
  throw new StoreError(
    'no-such-run',
    `${name} means several runs: ${found.slice(0, 5).map(escapeText).join(', ')}${found.length > 5 ? ', …' : ''}`,
    { remedy: 'Give more of the id.' },
  )
}

/** The runs that are judged together with a run: those it repeats, those that repeat it, and its siblings. */
export async function relatedRuns(store: Store, run: string): Promise<string[]> {
  const rows = await store.query(
    `WITH mine AS (SELECT replay_of AS original FROM runs WHERE run = $1)
     SELECT run FROM runs, mine
     WHERE run <> $1 AND (run = original OR replay_of = $1 OR replay_of = original) ORDER BY run`,
    [run],
  )
  return rows.map((row) => String(row.run))
}
