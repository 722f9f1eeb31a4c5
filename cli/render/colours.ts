import picocolors from 'picocolors'

/*
 * Colours by meaning. NO_COLOR, FORCE_COLOR and a pipe are honoured by the library; nothing is told by colour alone.
 */

export const colour = {
  error: picocolors.red,
  warning: picocolors.yellow,
  good: picocolors.green,
  faint: picocolors.dim,
  strong: picocolors.bold,
  agent: picocolors.cyan,
}

/** The colour of a severity. */
export function severityColour(severity: string): (text: string) => string {
  if (severity === 'error') return colour.error
  return severity === 'warning' ? colour.warning : colour.faint
}
