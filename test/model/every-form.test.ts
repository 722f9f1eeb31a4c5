import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Item as Read, readItems } from '../../model/items.ts'
import type { Encoder } from '../generators/forms/encoder.ts'
import { ENCODERS, FORMS, type Item, type ItemForm, inForm } from '../generators/item-forms.ts'

/* What is read of a run does not depend on the runtime that wrote it. */

const CALL = { type: 'tool_call', call: 'c1', tool: 'price', args: { sku: 7, of: ['a'] }, author: 'sales' }
const OTHER = { type: 'tool_call', call: 'c2', tool: 'stock', args: { sku: 8 }, author: 'sales' }
const SAID = { type: 'message', role: 'assistant', content: 'One moment.', author: 'sales' }
const ITEMS: readonly Item[] = [
  { type: 'message', role: 'user', content: 'How much, and is it there? 在庫は' },
  { type: 'file', role: 'user', name: 'offer-7.pdf' },
  { type: 'reasoning', id: 'r1', role: 'assistant', content: 'They want a price.', author: 'sales' },
  SAID,
  CALL,
  OTHER,
  { type: 'tool_result', call: 'c1', tool: 'price', content: '812.40 EUR' },
  { type: 'tool_result', call: 'c2', tool: 'stock', content: '{"left":3}' },
  { type: 'approval', approval: 'ap-1', call: 'c3', tool: 'reserve', args: { sku: 7 }, author: 'sales' },
  { type: 'message', role: 'assistant', content: 'It is 812.40 EUR.', author: 'sales' },
  { type: 'message', role: 'user', content: 'And the other?' },
  CALL,
  { type: 'tool_result', call: 'c1', tool: 'price', content: '<b>gone</b>\n' },
  SAID,
]

/** What has to be read of an item, whoever wrote it. */
function read(item: Read, { authors = false, nameless = false }: Encoder) {
  const { type, role, text, tool, args, author } = item
  const call = nameless ? undefined : item.call
  if (type === 'message') return { type, role, text, ...(authors && role === 'assistant' ? { author } : {}) }
  if (type === 'tool_call') return { type, call, tool, args, ...(authors ? { author } : {}) }
  if (type === 'tool_result') return { type, call, text: unwrapped(text) }
  if (type === 'file') return { type, role, text: text.replace('https://f.example/', '') }
  return type === 'approval' ? { type } : { type, text }
}

/** Gemini's results are objects, and read as such. */
function unwrapped(text: string): string {
  return text.startsWith('{"result":') ? JSON.parse(text).result : text
}

/** A call and its answer are one part there, so that answers to calls at once stand before the next call. */
function inOrder<T>(items: T[], form: ItemForm): T[] {
  return form === 'ai-sdk-ui' || form === 'opencode'
    ? items
        .map((item) => JSON.stringify(item))
        .sort()
        .map((item) => JSON.parse(item))
    : items
}

function written(form: ItemForm): Item[] {
  const encoder: Encoder = ENCODERS[form]
  const has = (type: unknown) =>
    (type !== 'file' || encoder.file !== undefined) &&
    (type !== 'reasoning' || encoder.reasoning !== undefined) &&
    (type !== 'approval' || encoder.approval !== undefined)
  return ITEMS.filter(({ type }) => form === 'plain' || has(type))
}

describe('what is read of items', () => {
  it.each(FORMS)('is the same in the form %s', (form) => {
    const items = written(form)
    // A message that is only a file is a message without words, and its file.
    const said = (item: Read) => item.type !== 'message' || item.text !== ''
    const all = (list: Item[]) =>
      readItems(list)
        .filter(said)
        .map((item) => read(item, ENCODERS[form]))
    expect(inOrder(all(inForm(items, form)), form)).toEqual(inOrder(all(items), form))
    // And each alone, as it stands when nothing is beside it.
    expect(items.flatMap((item) => all(inForm([item], form)))).toEqual(all(items))
  })

  it.each(FORMS)('has a place of its own for each in the form %s', (form) => {
    const paths = readItems(inForm(written(form), form)).map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
  })
})

describe('wild words and arguments', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
    noNullPrototype: true,
  })

  it.each(FORMS)('are read as they are in the form %s', (form) => {
    fc.assert(
      fc.property(words, words, words, args, (asked, said, result, given) => {
        const items: Item[] = [
          { type: 'message', role: 'user', content: asked },
          { type: 'message', role: 'assistant', content: said, author: 'sales' },
          { ...CALL, args: given },
          { type: 'tool_result', call: 'c1', tool: 'price', content: result },
        ]
        const all = (list: Item[]) => readItems(list).map((item) => read(item, ENCODERS[form]))
        expect(all(JSON.parse(JSON.stringify(inForm(items, form))))).toEqual(
          all(JSON.parse(JSON.stringify(items))),
        )
      }),
      { numRuns: 60 },
    )
  })
})
