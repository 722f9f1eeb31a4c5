import type { Metric } from '../../queries/metric.ts'
import { readable } from '../../queries/text-formats.ts'
import type { QueryAnswer } from '../../store/index.ts'
import { type Line, line } from '../lines.ts'

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * A character a value, from 0 to `top` (the largest, if left out); the last ones if there is no room for all. Nothing
 * measured is a dot, so that it is not taken for zero.
 */
export function sparkline(values: readonly (number | undefined)[], width: number, top?: number): string {
  const shown = values.slice(Math.max(0, values.length - width))
  const most = top ?? Math.max(0, ...shown.map((value) => value ?? 0))
  return shown
    .map((value) => {
      if (value === undefined) return '·'
      const share = most <= 0 ? 0 : Math.max(0, Math.min(1, value / most))
      return LEVELS[Math.min(LEVELS.length - 1, Math.floor(share * LEVELS.length))]
    })
    .join('')
}

/** How a metric went day by day; undefined where its answer is no trend: one day, or several rows for a day. */
export function trendLine(metric: Metric, { rows }: QueryAnswer, width: number): Line | undefined {
  const days = rows.filter(({ slice }) => /^\d{4}-\d{2}-\d{2}$/u.test(String(slice)))
  const byDay = new Map(days.map(({ slice, value }) => [String(slice), value]))
  if (byDay.size < 2 || byDay.size !== days.length) return undefined
  const ordered = [...byDay].sort(([a], [b]) => a.localeCompare(b))
  const unit = metric.columns.find(({ name }) => name === 'value')?.unit
  const values = ordered.map(([, value]) => (value === null ? undefined : Number(value)))
  const text = (value: unknown) => (value === null ? 'nothing' : readable(value, unit))
  const [[first, from], [last, to]] = [ordered[0]!, ordered.at(-1)!]
  const ends = `${first} ${text(from)} → ${last} ${text(to)}`
  const room = width - ends.length - 2
  if (room < 4) return line(ends, 'faint')
  return [
    { text: sparkline(values, room, unit === 'share' ? 1 : undefined), tone: 'focus' },
    { text: `  ${ends}`, tone: 'faint' },
  ]
}
