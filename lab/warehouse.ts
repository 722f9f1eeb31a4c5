import { isOurKey, type Wanted } from './order.ts'

/** What the network does to the first reservation: its reply is lost, or the request itself is still on its way. */
export type Timing = 'landed' | 'delayed'

/** What the service tells about a reservation. */
export type Held = Wanted & { id: string }

/** What it knows of one: also whose request made it. */
export type Reservation = Held & { key: string }

/**
 * A service that holds stock. It answers at once unless the line is bad, and nothing here waits: the caller's time-out is
 * the error that it would get, and a delayed request arrives when `deliverLate()` says so.
 */
export class Warehouse {
  readonly reservations: Reservation[]
  /** Keys of requests that arrived after their key was closed. */
  readonly refused: string[] = []
  readonly #closed = new Set<string>()
  readonly #travelling: { wanted: Wanted; key: string }[] = []
  #trouble: Timing | undefined

  /** `trouble` meets the first reservation; `reservations` are there already. */
  constructor(trouble?: Timing, reservations: Reservation[] = []) {
    this.#trouble = trouble
    this.reservations = reservations
  }

  /** The bins that hold an article: a long answer, of which the caller needs one number. */
  async stock({ sku }: { sku: string }): Promise<{ sku: string; free: number; bins: object[] }> {
    const bins = ['N-01', 'N-02', 'N-09', 'N-12', 'S-03', 'S-04', 'S-11', 'W-02', 'W-05', 'W-06'].map(
      (bin, index) => ({
        bin,
        hall: { N: 'north', S: 'south', W: 'west' }[bin[0]!],
        pieces: 12 + 5 * index,
        lot: `L-24${index}1`,
        counted: `2026-03-${10 + index}`,
      }),
    )
    return { sku, free: bins.reduce((sum, { pieces }) => sum + pieces, 0), bins }
  }

  /** Reserves under a key; the same key again gives the same reservation. A time-out says nothing about the effect. */
  async reserve(wanted: Wanted, key: string): Promise<Held> {
    const trouble = this.#trouble
    this.#trouble = undefined
    if (trouble === undefined) return this.#commit(wanted, key)
    if (trouble === 'delayed') this.#travelling.push({ wanted, key })
    else this.#commit(wanted, key)
    throw new DOMException('no answer from the warehouse within 8 s', 'TimeoutError')
  }

  /** What is there under a key now. Nothing found does not mean that nothing will come. */
  async findByKey(key: string): Promise<Held | undefined> {
    return told(this.reservations.find((reservation) => reservation.key === key))
  }

  /** The first reservation with these details, whoever made it. */
  async findByDetails({ sku, count }: Wanted): Promise<Held | undefined> {
    return told(this.reservations.find((held) => held.sku === sku && held.count === count))
  }

  /** In one step: what has landed under this key, and no request under it is taken from now on. */
  async close(key: string): Promise<Held | undefined> {
    this.#closed.add(key)
    return this.findByKey(key)
  }

  /** Lets the requests arrive that were still travelling. */
  deliverLate(): void {
    for (const { wanted, key } of this.#travelling.splice(0)) {
      if (this.#closed.has(key)) this.refused.push(key)
      else this.#commit(wanted, key)
    }
  }

  /** What it holds for the order of the lab. For the lab to count; no agent can ask this. */
  ours(): Reservation[] {
    return this.reservations.filter(({ key }) => isOurKey(key))
  }

  #commit(wanted: Wanted, key: string): Held {
    if (this.#closed.has(key)) throw new Error('this request was closed')
    const known = this.reservations.find((reservation) => reservation.key === key)
    if (known !== undefined) return told(known)
    const { sku, count } = wanted
    const reservation = { id: `R-${this.reservations.length + 1}`, sku, count, key }
    this.reservations.push(reservation)
    return told(reservation)
  }
}

function told(reservation: Reservation): Held
function told(reservation: Reservation | undefined): Held | undefined
function told(reservation: Reservation | undefined): Held | undefined {
  if (reservation === undefined) return undefined
  const { id, sku, count } = reservation
  return { id, sku, count }
}
