import { start } from '../../instrumentation/index.ts'
import { FORWARDING, runLab, SCENARIOS, STYLES, TIMINGS } from '../../lab/index.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { refreshScreens } from '../follow.ts'
import { block, cut, type Line, line, rule, wrap } from '../lines.ts'
import type { Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'

/** One thing the lab can play, in two variants. */
type Play = {
  title: string
  variants: readonly [name: string, what: string][]
  run(variant: number, directory: string): Promise<string>
}

const TIMING_TEXT: Record<string, string> = {
  landed: 'the reservation was made, only its reply was lost',
  delayed: 'the request is still travelling at the handoff',
}

const PLAYS: readonly Play[] = [
  ...STYLES.map(
    (style): Play => ({
      title: FORWARDING[style].title,
      variants: TIMINGS.map((timing): [string, string] => [timing, TIMING_TEXT[timing]!]),
      run: async (variant, directory) =>
        (await runLab({ handspan: recorder(directory), style, timing: TIMINGS[variant]! })).run,
    }),
  ),
  ...SCENARIOS.map(
    (scenario): Play => ({
      title: scenario.title,
      variants: [
        ['faulty', scenario.faulty],
        ['sound', scenario.sound],
      ],
      run: async (variant, directory) =>
        (await scenario.run({ handspan: recorder(directory), variant: variant === 0 ? 'faulty' : 'sound' }))
          .run,
    }),
  ),
]

function recorder(directory: string) {
  return start({ directory, service: 'lab' })
}

/** Cells beside a title where the kind of play is left out: the cursor, and both variants. */
const VARIANTS = 20

/** The scripted agents of the lab: choose how an order is handed over and what the network does, and watch. */
export class LabScreen implements Screen {
  readonly name = 'lab'
  readonly #session: Session
  readonly #cursor = new Cursor()
  #variant = 0
  #busy = false

  constructor(session: Session) {
    this.#session = session
  }

  title(): Line {
    return [
      { text: 'lab', tone: 'strong' },
      { text: '  scripted agents, a warehouse that does not answer', tone: 'faint' },
    ]
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.min(7, Math.floor(height / 2))
    const narrow = width < 80
    const titles = narrow ? width - VARIANTS : 50
    const { start, end } = this.#cursor.window(height - 1 - below, PLAYS.length)
    const rows = PLAYS.slice(start, end).map((play, index): Line => {
      const selected = start + index === this.#cursor.at
      const group = start + index < STYLES.length ? 'style' : 'story'
      return [
        { text: selected ? '› ' : '  ', tone: 'key' },
        { text: narrow ? '' : `${group}  `, tone: 'faint' },
        { text: cut(play.title, titles).padEnd(titles), tone: selected ? 'selected' : undefined },
        ...play.variants.flatMap(
          ([name], at): Line => [
            {
              text: selected && at === this.#variant ? `[${name}]` : ` ${name} `,
              tone: selected && at === this.#variant ? 'selected' : 'faint',
            },
          ],
        ),
      ]
    })
    const play = PLAYS[this.#cursor.at]!
    const notes = [
      'Two agents: orders reserves stock, billing invoices it. No model, no key, no network.',
      'The run is recorded like any other and stays in the list of runs.',
    ]
    const about = wrap(`${play.variants[this.#variant]![0]}: ${play.variants[this.#variant]![1]}`, width - 2)
    return [
      rule('what to play', width, true),
      ...block(rows, width, height - 1 - below),
      rule(play.title, width),
      ...block(
        [
          ...about.map((text) => line(` ${text}`)),
          line(''),
          ...notes.flatMap((note) => wrap(note, width - 2).map((text) => line(` ${text}`, 'faint'))),
        ],
        width,
        below - 1,
      ),
    ]
  }

  act(act: Act): void {
    if (act === 'other') this.#variant = 1 - this.#variant
    else if (act === 'open') void this.#play()
    else this.#cursor.move(act, PLAYS.length)
  }

  disabled(act: Act): string | undefined {
    if (act !== 'open') return undefined
    if (this.#session.source.directory === undefined)
      return `the lab records into a store; without a file it opens one: ${this.#session.paste(['tui'])}`
    return this.#busy ? 'it is running' : undefined
  }

  async #play(): Promise<void> {
    const { source } = this.#session
    this.#busy = true
    const played = PLAYS[this.#cursor.at]!.run(this.#variant, source.directory!).then(async (run) => {
      await source.refresh()
      await refreshScreens(this.#session)
      return run
    })
    await this.#session.during('running the lab', played, (run) => this.#session.openRun(run))
    this.#busy = false
  }
}
