import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../tui/lines.ts'
import { flatten, pathsThatHold } from '../../tui/rows/json-rows.ts'
import { holdsPath } from '../../tui/rows/payload-rows.ts'
import { align, wordChanges } from '../../tui/rows/word-changes.ts'

describe('word changes', () => {
  it('hold both texts: without what came it is the old one, without what went the new one', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '.'), { maxLength: 30 })
    fc.assert(
      fc.property(words, words, (before, after) => {
        const parts = align(before, after)
        const side = (other: string) =>
          parts
            .filter(({ side }) => side !== other)
            .map(({ word }) => word)
            .join('')
        expect(side('after')).toBe(before.join(''))
        expect(side('before')).toBe(after.join(''))
      }),
    )
  })

  it('mark with signs, not with colour alone', () => {
    const lines = wordChanges(
      { before: 'invoice only what is reserved', after: 'invoice what is reserved' },
      80,
    )
    expect(plainText(lines)).toBe('invoice [-only -]what is reserved')
  })
})

describe('a JSON tree', () => {
  const value = { a: [1, { b: 'needle' }], c: 'x', Needle: null }

  it('shows folded what is folded', () => {
    const rows = flatten(value, (path) => path === '')
    expect(rows.map(({ path, kind }) => [path, kind])).toEqual([
      ['', 'open'],
      ['a', 'folded'],
      ['c', 'value'],
      ['Needle', 'value'],
    ])
    expect(rows[1]).toMatchObject({ text: '[ 2 entries ]', size: Buffer.byteLength('[1,{"b":"needle"}]') })
  })

  it('finds keys and values, folded or not, in the order of the tree', () => {
    expect(pathsThatHold(value, 'NEEDLE')).toEqual(['a[1].b', 'Needle'])
  })

  it('survives values that are nested without end', () => {
    let deep: unknown = 'bottom'
    for (let level = 0; level < 50_000; level++) deep = [deep]
    expect(flatten(deep, () => true).length).toBeLessThan(1000)
    expect(pathsThatHold(deep, 'bottom')).toEqual([])
  })
})

it('evidence belongs to the part of the payload that it names or lies in, not to one with a like name', () => {
  const part = (path: string, heading = false) => ({ path, heading })
  expect(holdsPath(part('items[1]'), 'items[1].content[0]')).toBe(true)
  expect(holdsPath(part('items[1]'), 'items[10]')).toBe(false)
  expect(holdsPath(part('record.open_operations[0]'), 'record.open_operations[0].key')).toBe(true)
  expect(holdsPath(part('record', true), 'record.origin')).toBe(false)
})
