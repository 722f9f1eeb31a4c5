import type { Command } from 'commander'
import { EXIT, print, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function doctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .summary('check the set-up: exit code 1 if something is wrong')
    .description('Checks what captures and analysis need, and says what to do about what is wrong.')
    .action(doctor)
  withExamples(withShared(command), [['handspan doctor', 'of ./.handspan']])
}

async function doctor(options: SharedOptions): Promise<void> {
  const { examine } = await import('../examine.ts')
  const { pasted } = await import('../render/pasted.ts')
  const call = options.json ? 'handspan' : undefined
  const results = await examine(options.dir, (...words) => pasted(words, options.dir, call))
  if (options.json) printJson('doctor', { results })
  else {
    const { colour } = await import('../render/colours.ts')
    const { escapeText } = await import('../../model/escape.ts')
    for (const { name, good, detail, remedy } of results) {
      print(`${good ? colour.good('✓') : colour.error('✗')} ${name}: ${escapeText(detail)}`)
      if (!good && remedy !== undefined) print(`  → ${escapeText(remedy)}`)
    }
  }
  if (results.some(({ good }) => !good)) process.exitCode = EXIT.findings
}
