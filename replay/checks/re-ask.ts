import { normaliseText } from '../../model/hash.ts'
import { idOf, isObject } from '../../model/json.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { answeredBefore } from '../facts/answered-questions.ts'
import { questionsIn, saidByReceiver } from '../facts/dialogue.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, quote } from '../phrase.ts'
import type { Run, Step } from '../run.ts'
import { containsValue } from '../text.ts'

type Given = { step: Step; values: string[] }

export const reAsk: Check = {
  id: 're-ask',
  severity: 'warning',
  title: 'The receiver asks what was already given',
  question: 'Does the user have to say it again?',
  definition:
    'Raised when the receiver asks (`asks`) for something that was given (`gives`) before the handoff, or puts a question ' +
    'to the user in the words of another agent that the user had answered. Requests for an approval, closing questions ' +
    'and a question that says what was given are not judged.',
  judgesByWords: true,
  check({ run, diffs }) {
    const given = givenTopics(run)
    return {
      findings: diffs.flatMap((diff) =>
        diff.receipt === undefined || diff.handoff.mode === 'notify'
          ? []
          : [...topicsAgain(run, diff, given), ...questionsAgain(run, diff)],
      ),
    }
  },
}

function topicsAgain(run: Run, diff: HandoffDiff, given: ReadonlyMap<string, Given>): Draft[] {
  const asked = new Set<string>()
  return saidByReceiver(run, diff).flatMap((said) =>
    topicsOf(run.events[said.step]?.asks).flatMap((topic) => {
      const { step, values } = given.get(topic) ?? { step: said.step, values: [] }
      if (step >= diff.receipt!.step || asked.has(topic)) return []
      // Whoever says it itself asks whether it is right.
      if (values.some((value) => containsValue(said.text, value))) return []
      asked.add(topic)
      return [
        draft(diff, `asks for ${topic} (${quote(said.text)})`, 'it was given before', topic, [
          step,
          said.step,
        ]),
      ]
    }),
  )
}

/** What was given in the run, with the step of the first time and with every value. */
function givenTopics(run: Run): Map<string, Given> {
  const given = new Map<string, Given>()
  for (const { step, event } of run.messages) {
    for (const topic of topicsOf(event.gives)) {
      const known = given.get(topic) ?? { step, values: [] }
      given.set(topic, { ...known, values: [...known.values, ...valuesOf(event.gives, topic)] })
    }
  }
  return given
}

function valuesOf(gives: unknown, topic: string): string[] {
  const fields = isObject(gives) ? Object.entries(gives) : []
  return fields.flatMap(([name, value]) => (normaliseText(name) === topic ? (idOf(value) ?? []) : []))
}

function topicsOf(value: unknown): string[] {
  const names =
    typeof value === 'string'
      ? value.split(/[,;]/u)
      : Array.isArray(value)
        ? value
        : isObject(value)
          ? Object.keys(value)
          : []
  return names
    .filter((name): name is string => typeof name === 'string' && !/^approval\b/iu.test(name))
    .map(normaliseText)
}

function questionsAgain(run: Run, diff: HandoffDiff): Draft[] {
  for (const { text, step } of saidByReceiver(run, diff)) {
    // Where the log names topics, they say better than words what is asked.
    if (run.events[step]?.asks !== undefined) continue
    for (const question of questionsIn(text)) {
      const before = answeredBefore(run, diff, question)
      if (before === undefined) continue
      const what = `asks ${quote(question)} again`
      return [draft(diff, what, 'the user had answered it', normaliseText(question), [before, step])]
    }
  }
  return []
}

function draft(
  diff: HandoffDiff,
  what: string,
  why: string,
  trait: string,
  [before, after]: [Step, Step],
): Draft {
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'item', id: trait },
    message: `After the handoff ${diff.receipt!.by} ${what}, although ${why}. The user has to say it twice, and may say it differently.`,
    evidence: [
      { step: before, side: 'sender' },
      { step: diff.receipt!.step, side: 'receiver' },
      { step: after, side: 'receiver' },
    ],
    remedy:
      'Carry what was given in the record (status.done, evidence) and tell the receiver to read it first.',
    trait,
  }
}
