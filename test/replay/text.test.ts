import { describe, expect, it } from 'vitest'
import { containsValue } from '../../replay/text.ts'

const iban = 'AT61 1904 3002 3457 3201'

describe('a value in a text', () => {
  it.each([
    ['as it is', `pay to ${iban} today`, iban],
    ['without its spaces', 'pay to AT611904300234573201 today', iban],
    ['with spaces that it has not', 'pay to AT61 1904 3002\n3457 3201 today', 'AT611904300234573201'],
    ['inside JSON in a string', '{"body":"{\\"to\\":\\"acc-3:77\\"}"}', 'acc-3:77'],
  ])('is found %s', (_, text, value) => {
    expect(containsValue(text, value)).toBe(true)
  })

  it.each([
    ['as a part of another one', 'pay to AT6119043002345732019 today', iban],
    ['where its words were joined into another', 'the bluebicycle', 'blue bi'],
    ['if it is two characters long', 'o7 and k1', 'k1'],
  ])('is not found %s', (_, text, value) => {
    expect(containsValue(text, value)).toBe(false)
  })
})
