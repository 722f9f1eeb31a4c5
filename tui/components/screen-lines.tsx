import { Text, Transform } from 'ink'
import { useMemo } from 'react'
import type { Line } from '../lines.ts'
import { paintLine, type Theme } from '../theme.ts'

/**
 * Lines as they stand. ink lays out a placeholder of the same size and the painted lines take its place when it writes:
 * it keeps the measure of every text that it ever laid out, so real lines would fill the memory of a long session, and
 * measuring them again costs more than painting.
 */
export function ScreenLines({
  lines,
  width,
  theme,
}: {
  lines: readonly Line[]
  width: number
  theme: Theme
}) {
  const height = lines.length
  const placeholder = useMemo(() => Array(height).fill('.'.repeat(width)).join('\n'), [height, width])
  const painted = lines.map((line) => paintLine(line, theme))
  return (
    <Transform transform={(_, row) => painted[row] ?? ''}>
      <Text wrap="truncate">{placeholder}</Text>
    </Transform>
  )
}
