import type { Reporter, TestModule } from 'vitest/node'

/** Closes a run with one plain line of counts, for machines that read the output. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const count = (state: string) => states.filter((one) => one === state).length
    // A file that could not be loaded ran no test of its own, and is a failure all the same.
    const broken = modules.filter((module) => module.errors().length > 0).length
    const skipped = count('skipped') + count('pending')
    const tail = skipped === 0 ? '' : `, ${skipped} skipped`
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed${tail}`)
  }
}
