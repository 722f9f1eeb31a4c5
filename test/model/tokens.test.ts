import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateByBytes, findTokenCounter } from '../../model/tokens.ts'

describe('the counter', () => {
  const counter = findTokenCounter()

  it('names its method', () => {
    expect(counter.method).toBe('o200k_base')
    expect(estimateByBytes.method).toBe('bytes/4')
  })

  it('counts prose and JSON as the tokenizer does over the whole text, however long', () => {
    const prose = 'The warehouse reserved forty of them and nobody heard back. '.repeat(200)
    const json = JSON.stringify(
      Array.from({ length: 80 }, (_, n) => ({ sku: `A-${n}`, note: 'north hall, shelf' })),
    )
    expect(counter.count(prose)).toBe(countTokens(prose))
    expect(Math.abs(counter.count(json) - countTokens(json))).toBeLessThanOrEqual(json.length / 1024)
    expect(counter.count('')).toBe(0)
  })

  it('counts the names of special tokens as text', () => {
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1)
    expect(counter.count('<|im_start|>system<|im_end|>')).toBeGreaterThan(2)
  })

  it('gets through a megabyte without a space, and does not cut an emoji in two', () => {
    expect(counter.count('a'.repeat(1_000_000))).toBeGreaterThan(1000)
    const emoji = '😀'.repeat(2000)
    expect(counter.count(emoji)).toBe(2000 * countTokens('😀'))
    expect(counter.count(`x${emoji}`)).toBe(2000 * countTokens('😀') + 1)
    expect(counter.count('\ud800'.repeat(5000))).toBeGreaterThan(0)
  })
})

describe('the estimate', () => {
  it('is the number of bytes over four, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde', 'é€😀'].map(estimateByBytes.count)).toEqual([0, 1, 1, 2, 3])
  })
})
