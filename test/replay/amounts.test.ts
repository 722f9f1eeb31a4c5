import { describe, expect, it } from 'vitest'
import { amountsIn } from '../../replay/facts/amounts.ts'

describe('the amounts in an argument', () => {
  it.each<[unknown, number[]]>([
    [750, [750]],
    ['750.00', [750]],
    [' 1e3 ', [1000]],
    ['1,200.50', [1200.5]],
    ['1.200,50 EUR', [1200.5]],
    ['EUR 1 200,50', [1200.5]],
    ["1'200.50", [1200.5]],
    ['$750', [750]],
    ['12,5 %', [12.5]],
    ['-80 EUR', [-80]],
    ['1,200,000', [1_200_000]],
    ['1.200.000', [1_200_000]],
    ['1,200', [1200, 1.2]],
    ['1.200', [1.2, 1200]],
  ])('%j', (value, amounts) => {
    expect(amountsIn(value)).toEqual(amounts)
  })
  it.each([['ORD-77'], ['2031-03-04'], ['forty'], [''], [null], [true], [[900]], [{}], ['1.2.3']])(
    '%j is none',
    (value) => {
      expect(amountsIn(value)).toEqual([])
    },
  )
})
