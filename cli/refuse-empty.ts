import type { Command } from 'commander'
import { UsageError } from './output.ts'

/**
 * Nothing has an empty name. As a path it would be the working directory, as the beginning of an id every run. Throws
 * UsageError.
 */
export function refuseEmpty(command: Command): void {
  const option = command.options.find((one) => command.getOptionValue(one.attributeName()) === '')
  if (option === undefined && !command.args.includes('')) return
  throw new UsageError(
    `${option?.long ?? 'An argument'} is empty.`,
    'A variable that is not set in the shell looks like this.',
  )
}
