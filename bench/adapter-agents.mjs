// The same run for every benchmark of the adapters: four agents in a row, five calls each, three handoffs.
export const AGENTS = ['a', 'b', 'c', 'd']
export const CALLS = 5
