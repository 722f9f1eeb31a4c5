import type { RunEvent } from '../../model/run-log.ts'
import { agentSpeaks, declareRule, SCENES, userSpeaks } from './scenes.ts'
import { Stage, type Style } from './stage.ts'

/*
 * Ordinary runs of a sound runtime: nothing is lost, repeated, leaked or left open, so no check may say anything. Agents
 * read and write under keys, several calls at once, again under the same key; ask for approval and wait for it; make
 * promises and keep them; hand over by transfer, delegate and take the answer back, escalate, review, notify, resume also
 * after a crash; with the whole history, without tool plumbing, with a summary or a brief; in the message forms of several
 * frameworks, from one process or several with clocks that differ, in any language.
 */

/** Builds one ordinary run of about `turns` turns. */
export function cleanRun(seed: number, turns = 12, style?: Partial<Style>): RunEvent[] {
  const stage = begin(seed, style)
  for (let turn = 0; turn < turns; turn++) stage.random.pick(SCENES)(stage)
  finish(stage)
  return stage.log()
}

export function begin(seed: number, style?: Partial<Style>): Stage {
  const stage = new Stage(seed, style)
  stage.begin()
  if (stage.random.chance(0.5)) declareRule(stage)
  userSpeaks(stage)
  return stage
}

export function finish(stage: Stage): void {
  stage.settle()
  for (const promise of [...stage.promises]) stage.keep(promise)
  agentSpeaks(stage)
  stage.write('run.end', {})
}
