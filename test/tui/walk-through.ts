/** One stop of the walk-through: what is pressed, what is said about it, and what must stand on the screen. */
export type Stop = { keys: string[]; typed?: string; shown: string; says: string; must: RegExp[] }

/**
 * The first use: from the list of runs to the reason and the remedy, and out with it. The same keys are driven over the
 * recorded incident, which gives the page of the documentation, and over a fresh demo.
 */
export const WALK_THROUGH: readonly Stop[] = [
  {
    keys: ['1', 's'],
    shown: '`s`',
    says: 'The list of runs. `s` puts those with findings first.',
    must: [/runs · 1 of \d+ · by findings/, /orders, billing/],
  },
  {
    keys: ['enter'],
    shown: '`Enter`',
    says:
      'The replay. Left of each step stands who acted: a lane for each agent, the bar is the one who is responsible for the ' +
      'task, an arrow is a handoff, a hatch is a write in doubt. `!` marks steps that a finding points to.',
    must: [/step 1 of \d+/, /1 orders · 2 billing/, /e goes to the first step/],
  },
  {
    keys: ['e'],
    shown: '`e`',
    says:
      'The first problem: `op-2` left the process and was never answered. From here on nobody knows whether the stock is ' +
      'reserved. Below stands what the runtime knew at this step, with the key.',
    must: [/op-2 reserve_stock SENT, IN DOUBT/, /key order-4711\/orders\/reserve/],
  },
  {
    keys: ['enter'],
    shown: '`Enter`',
    says:
      "What crossed at the handoff. On the left the sender's operations log, on the right what the receiver's model really " +
      'got. No record crossed, so the key did not: only the words mention the call. Both ways in which the network can ' +
      'have failed are judged: if the request is still travelling, forty more are reserved.',
    must: [/op-2: [A-Z]+, key absent/, /record {2}none/, /if it is still travelling: REPEATS THE EFFECT/],
  },
  {
    keys: ['w', 'G'],
    shown: '`w` `G`',
    says:
      'Would another style of forwarding have kept it? `w` tries them on the captured items; nothing is called. The last ' +
      'one hands over a record from the operations log: the key crosses, and the findings at the handoff are solved.',
    must: [
      /operation op-2 reserve_stock +(?:mentioned|described|absent) +carried/,
      /✓ op-in-doubt-key-missing/,
    ],
  },
  {
    keys: ['esc', '4', 'j'],
    shown: '`Esc` `4` `j`',
    says:
      'The findings of the run, each with what it rests on, what it allows and what to do. `Enter` leads to the evidence, ' +
      '`d` says what the check means.',
    must: [/findings by check/, /→ Put the key into the record/],
  },
  {
    keys: ['W', 'ctrl+u'],
    typed: 'write report.html',
    shown: '`W`',
    says:
      '`W` writes what the screen shows: `.md` for a ticket, `.html` to read, `.json` for a program (the same document as ' +
      '`handspan findings --json`).',
    must: [/:write report\.html/],
  },
  {
    keys: ['enter'],
    shown: '`Enter`',
    says: 'Written. `q` quits, and the terminal is as it was.',
    must: [/written to report\.html/],
  },
]
