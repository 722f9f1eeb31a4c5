import type { Form } from './item-calls.ts'

type Fields = Record<string, unknown>

/** An item in a form that is read anyway, and where it stood in the verbatim one; no place: the item itself. */
export type Rewritten = { item: Fields; at?: string }

/** The forms of what an entry stands for, read one by one. What is said of the whole goes to the first. */
export function formsOfAll(raw: Fields, all: readonly Rewritten[], read: (item: Fields) => Form[]): Form[] {
  return all.flatMap(({ item, at }, index) => {
    // What has an id of its own, as the words of a task, does not take that of the whole.
    const id = 'id' in item ? undefined : raw.id
    const whole = index === 0 ? { id, op: raw.op, origin: raw.origin, claims: raw.claims } : {}
    return read(item).map((form, part) => ({
      ...form,
      from: part === 0 ? { ...form.from, ...defined(whole) } : form.from,
      at: placeIn(at, form.at),
    }))
  })
}

function placeIn(at: string | undefined, inner: string | undefined): string | undefined {
  return at === undefined || inner === undefined ? (at ?? inner) : `${at}.${inner}`
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
