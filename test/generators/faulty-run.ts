import type { RunEvent } from '../../model/run-log.ts'
import { begin, finish } from './clean-run.ts'
import { approvals } from './faults/approvals.ts'
import { authority } from './faults/authority.ts'
import { correlationAndDialogue } from './faults/correlation-and-dialogue.ts'
import { custody } from './faults/custody.ts'
import type { Fault } from './faults/fault.ts'
import { payloads } from './faults/payloads.ts'
import { rulesAndContract } from './faults/rules-and-contract.ts'
import { unsettledWork } from './faults/unsettled-work.ts'
import { wordsAndItems } from './faults/words-and-items.ts'
import { SCENES } from './scenes.ts'

/*
 * An ordinary run with one fault in it. Without the fault the same scenes raise nothing; with it the run has to raise the id
 * that the fault is named by.
 */

export const FAULTS: readonly Fault[] = [
  ...unsettledWork,
  ...authority,
  ...approvals,
  ...rulesAndContract,
  ...wordsAndItems,
  ...payloads,
  ...custody,
  ...correlationAndDialogue,
]

const TURNS_AT_MOST = 8

/** The log of the run; of both, where the fault shows in a repetition. */
export function faultyRun(seed: number, fault: Fault): RunEvent[] {
  const stage = begin(seed, fault.style)
  const turns = () => {
    for (let turn = stage.random.between(0, TURNS_AT_MOST); turn > 0; turn--) stage.random.pick(SCENES)(stage)
  }
  turns()
  fault.play(stage)
  if (fault.last !== true) {
    turns()
    finish(stage)
  }
  const log = stage.log()
  return fault.repeat === undefined ? log : [...log, ...fault.repeat(log)]
}
