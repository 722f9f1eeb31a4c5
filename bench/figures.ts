export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which that share (0 to 1) of the values lies, by the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** A figure with as many digits as its noise allows. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2
  const text = value.toFixed(digits)
  return digits === 0 ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text
}

export function ratio(value: number, base: number): string {
  const times = value / base
  return `${times < 10 ? times.toFixed(2) : figure(times)}x`
}

export function megabytes(bytes: number): string {
  return `${figure(bytes / 1e6)} MB`
}
