import type { Store } from '../store/index.ts'
import { withStore } from './with-store.ts'

/** What can be asked: a store, or lakes. */
export type Source = Pick<Store, 'query' | 'readOnlyQuery'> & {
  /** Where it is, for messages. */
  paths: { directory: string }
  /** Takes in what is new. */
  refresh(): Promise<void>
}

/** Acts on the lakes that `db` names or, without it, on the store of the directory. */
export async function withSource<T>(
  { db, dir }: { db?: string | undefined; dir: string },
  act: (source: Source) => Promise<T>,
): Promise<T> {
  if (db === undefined) {
    return withStore(dir, (store) =>
      act({
        paths: store.paths,
        query: (sql, parameters) => store.query(sql, parameters),
        readOnlyQuery: (sql, bounds) => store.readOnlyQuery(sql, bounds),
        refresh: async () => {
          await store.ingest()
        },
      }),
    )
  }
  const { openLake } = await import('../lake/open-lake.ts')
  const lake = await openLake(db)
  try {
    return await act({
      paths: { directory: db },
      query: (sql, parameters) => lake.query(sql, parameters),
      readOnlyQuery: (sql, bounds) => lake.readOnlyQuery(sql, bounds),
      refresh: () => lake.refresh(),
    })
  } finally {
    await lake.close()
  }
}
