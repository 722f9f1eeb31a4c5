// `-1,200.50`, `EUR 1.200,50`, `1 200 EUR`, `$750`, `12 %`: a sign, a currency, digits, a unit.
const AMOUNT = /^([+-]?)\s*(?:[A-Z]{3}\s*|\p{Sc}\s*)?(\d[\d.,'’_\s]*)(?:\p{L}{1,8}|\p{Sc}|%)?$/u
const GROUPED = /^\d{1,3}(?:[.,]\d{3})+$/u

/**
 * The numbers that an argument may stand for: one for a number and for most texts, two where a lone separator may part
 * thousands or decimals (`1,200`), none for what is no amount.
 */
export function amountsIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  if (typeof value !== 'string') return []
  const text = value.trim()
  const plain = text === '' || GROUPED.test(text) ? Number.NaN : Number(text)
  if (!Number.isNaN(plain)) return [plain]
  const [, sign = '', written] = AMOUNT.exec(text) ?? []
  if (written === undefined) return []
  const digits = written.replace(/['’_\s]|[.,]\s*$/gu, '')
  const withPoint = Number(sign + digits.replaceAll(',', ''))
  const withComma = Number(sign + digits.replaceAll('.', '').replace(',', '.'))
  const [point, comma] = [digits.lastIndexOf('.'), digits.lastIndexOf(',')]
  const isOpen = GROUPED.test(digits) && (point < 0 || comma < 0)
  const meant = isOpen ? [withPoint, withComma] : [comma > point ? withComma : withPoint]
  return meant.filter((number) => !Number.isNaN(number))
}
