/** A record of a request that cannot be kept while the others can, and why. */
export type Refused = { refused: string }
