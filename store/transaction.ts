import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType, DuckDBValue } from './duckdb.ts'

/**
 * The transaction of a long act, begun with its first write. Many writes share it, since to end one takes as long as to
 * store thousands of rows. A write that fails takes those before it in the same transaction with it.
 */
export class Transaction {
  readonly #connection: DuckDBConnection
  readonly #prepared = new Map<string, DuckDBPreparedStatement>()
  #isOpen = false

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** Whether something was written that is not committed yet. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  async write<T>(act: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) await this.#connection.run('BEGIN')
    this.#isOpen = true
    return this.#orRollBack(act)
  }

  /**
   * Runs a statement that comes again and again within the transaction: it is prepared once. Each way to a thread of DuckDB
   * and back is long while all cores are busy.
   */
  async run(
    sql: string,
    values: readonly DuckDBValue[],
    types?: readonly DuckDBType[],
  ): Promise<DuckDBValue[][]> {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = await this.#connection.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    statement.bind([...values], types === undefined ? undefined : [...types])
    const result = await statement.run()
    return Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index).getRows()).flat()
  }

  async commit(): Promise<void> {
    if (!this.#isOpen) return
    await this.#orRollBack(() => this.#connection.run('COMMIT'))
    this.#end()
  }

  async #orRollBack<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      this.#end()
      await this.#connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** A statement that outlived its connection would keep the file open. */
  #end(): void {
    this.#isOpen = false
    for (const statement of this.#prepared.values()) statement.destroySync()
    this.#prepared.clear()
  }
}
