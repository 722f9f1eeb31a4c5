/** `tiny` only shows that a benchmark runs; its figures say nothing. */
export type Size = 'full' | 'tiny'

/** Where a benchmark works: `product` holds the built package, `scratch` is a folder that it may fill. */
export type Place = { size: Size; product: string; scratch: string }

/** One table of results. `title` says what was measured, `note` what must be known to read it. */
export type Table = { title: string; columns: string[]; rows: string[][]; note?: string }

/** One benchmark. `about` says what it answers, in one or two sentences. */
export type Benchmark = { name: string; about: string; run(place: Place): Promise<Table[]> }
