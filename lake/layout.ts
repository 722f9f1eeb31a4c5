import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCHEMA_VERSION, StoreError } from '../store/index.ts'

/*
 * A lake is a folder: `<view>/day=2031-03-04/<export>_<n>.parquet`, a file with the version, and views.sql. Whoever adds
 * runs writes files under a name that nobody else has and renames them into place, `runs` last: what has no row in
 * `runs` does not count. So any number of writers share a lake without knowing of each other.
 */

/** Holds the version of the views. A folder without it is no lake. */
export const MARKER = 'handspan-lake.json'

/** A file without rows that every view has, so that a reader finds the columns even where there is no run. */
export const COLUMNS_FILE = `columns-v${SCHEMA_VERSION}.parquet`

/** A Parquet file of a lake. `part` is the name of the export or compaction that wrote it. */
export type LakeFile = { path: string; view: string; day: string; part: string }

/** Throws `not-a-lake` where there is none, and `newer-schema` or `older-schema` for views of another version. */
export function verifyLake(folder: string): void {
  const marker = join(folder, MARKER)
  if (!existsSync(marker)) {
    throw new StoreError('not-a-lake', `${folder} is no lake: it has no ${MARKER}.`, {
      path: folder,
      remedy: `Name a folder that handspan export --parquet wrote.`,
    })
  }
  const version = versionOf(readFileSync(marker, 'utf8'))
  if (version === SCHEMA_VERSION) return
  const newer = version === undefined || version > SCHEMA_VERSION
  throw new StoreError(
    newer ? 'newer-schema' : 'older-schema',
    `${folder} has views of schema version ${version ?? 'unknown'}; this handspan knows version ${SCHEMA_VERSION}.`,
    {
      path: folder,
      remedy: newer
        ? 'Use the newer handspan that wrote it.'
        : 'Export into a new folder: handspan export --parquet DIR writes everything that the store holds.',
    },
  )
}

function versionOf(text: string): number | undefined {
  try {
    const { schemaVersion } = JSON.parse(text) as { schemaVersion?: unknown }
    return typeof schemaVersion === 'number' ? schemaVersion : undefined
  } catch {
    return undefined
  }
}

/**
 * The files of a lake, those of `runs` looked up first: a run that is seen there has its other rows in place, whoever
 * writes or compacts meanwhile.
 */
export function listFiles(folder: string, views: readonly string[]): LakeFile[] {
  return ['runs', ...views.filter((view) => view !== 'runs')].flatMap((view) => filesOf(folder, view))
}

function filesOf(folder: string, view: string): LakeFile[] {
  return entriesOf(join(folder, view)).flatMap((day) =>
    day.startsWith('day=')
      ? entriesOf(join(folder, view, day))
          .filter((name) => name.endsWith('.parquet') && !name.startsWith('columns-'))
          .map((name) => ({
            path: join(folder, view, day, name),
            view,
            day: day.slice('day='.length),
            part: partOf(name),
          }))
      : [],
  )
}

/** `<part>_<n>.parquet` */
function partOf(name: string): string {
  return name.replace(/(_\d+)?\.parquet$/, '')
}

/** The same in SQL, of the column `filename`. */
export const PART_SQL = "regexp_replace(parse_filename(filename), '(_[0-9]+)?[.]parquet$', '')"

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // A compaction may take a folder's last file away between two looks.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
