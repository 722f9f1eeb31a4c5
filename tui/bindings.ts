import type { Act } from './act.ts'
import type { ScreenName } from './screen.ts'

/*
 * One table of bindings. It feeds the dispatch of keys, the footer, the help screen and docs/keys.md, so that none of them can
 * say something else than the others.
 */

export type Binding = {
  keys: readonly string[]
  act: Act
  /** Where it holds; everywhere if left out. */
  screens?: readonly ScreenName[]
  description: string
  /** Its word in the footer; left out, the footer does not show it. */
  footer?: string
}

const LISTS: ScreenName[] = [
  'runs',
  'replay',
  'diff',
  'viewer',
  'findings',
  'metrics',
  'table',
  'lab',
  'what-if',
  'pick',
  'compare',
  'text',
]
const SEARCHED: ScreenName[] = ['runs', 'replay', 'viewer', 'findings', 'table', 'pick', 'text']

/** Earlier bindings win where a key stands twice. */
export const BINDINGS: readonly Binding[] = [
  { keys: ['enter'], act: 'open', screens: ['runs'], description: 'open the run', footer: 'open' },
  { keys: ['f'], act: 'filter', screens: ['runs'], description: 'filter the list', footer: 'filter' },
  {
    keys: ['s'],
    act: 'sort',
    screens: ['runs'],
    description: 'sort by time, findings or writes in doubt',
    footer: 'sort',
  },
  {
    keys: ['F'],
    act: 'follow',
    screens: ['runs'],
    description: 'follow what agents write',
    footer: 'follow',
  },

  {
    keys: [']', 'right', 'l'],
    act: 'stepOn',
    screens: ['replay'],
    description: 'one step on',
    footer: 'step',
  },
  { keys: ['[', 'left', 'h'], act: 'stepBack', screens: ['replay'], description: 'one step back' },
  {
    keys: ['e'],
    act: 'nextProblem',
    screens: ['replay'],
    description: 'next step that a finding points to',
    footer: 'problem',
  },
  { keys: ['E'], act: 'previousProblem', screens: ['replay'], description: 'previous such step' },
  {
    keys: ['}'],
    act: 'nextHandoff',
    screens: ['replay', 'diff'],
    description: 'next handoff',
    footer: 'handoff',
  },
  { keys: ['{'], act: 'previousHandoff', screens: ['replay', 'diff'], description: 'previous handoff' },
  {
    keys: ['enter'],
    act: 'open',
    screens: ['replay'],
    description: 'what crossed, at a handoff or a problem of one; else the event',
    footer: 'what crossed',
  },
  {
    keys: ['v'],
    act: 'inspect',
    screens: ['replay', 'diff', 'findings', 'table'],
    description: 'the captured JSON behind the selection',
  },
  { keys: ['o'], act: 'nextPane', screens: ['replay'], description: 'the whole state after this step' },
  {
    keys: ['space'],
    act: 'play',
    screens: ['replay'],
    description: 'play and stop; pauses are cut to a second',
    footer: 'play',
  },
  {
    keys: ['F'],
    act: 'follow',
    screens: ['replay'],
    description: 'follow what agents write, from the last step on',
  },
  { keys: ['F'], act: 'follow', screens: ['diff', 'findings'], description: 'follow what agents write' },
  { keys: ['+', '='], act: 'faster', screens: ['replay'], description: 'play faster, up to x100' },
  { keys: ['-'], act: 'slower', screens: ['replay'], description: 'play slower, down to x1' },

  { keys: ['tab', 'right'], act: 'nextTab', screens: ['diff'], description: 'next tab', footer: 'next tab' },
  { keys: ['shift+tab', 'left'], act: 'previousTab', screens: ['diff'], description: 'previous tab' },
  {
    keys: ['w'],
    act: 'whatIf',
    screens: ['diff'],
    description: 'what another style of forwarding would have let through',
    footer: 'what if',
  },
  {
    keys: ['x'],
    act: 'compare',
    screens: ['diff'],
    description: 'compare with another handoff',
    footer: 'compare',
  },
  {
    keys: ['o', 'h', 'l'],
    act: 'nextPane',
    screens: ['diff'],
    description: 'go to the other side',
    footer: 'other side',
  },
  {
    keys: ['enter'],
    act: 'open',
    screens: ['diff'],
    description: 'open the selected thing whole',
    footer: 'open',
  },

  { keys: ['enter'], act: 'open', screens: ['pick'], description: 'compare with it', footer: 'compare' },
  {
    keys: ['x'],
    act: 'compare',
    screens: ['pick'],
    description: 'type the id of a run or the path of a run-log file',
    footer: 'type an id',
  },
  {
    keys: ['enter', 'v'],
    act: 'open',
    screens: ['compare'],
    description: 'open the selected thing whole, with the words that changed',
    footer: 'open',
  },
  {
    keys: ['o', 'h', 'l'],
    act: 'nextPane',
    screens: ['compare'],
    description: 'go to what crossed at handoff b',
    footer: 'to b',
  },

  {
    keys: ['enter', 'right', 'l'],
    act: 'unfold',
    screens: ['viewer'],
    description: 'unfold, or show a long text whole',
    footer: 'unfold',
  },
  {
    keys: ['left', 'h'],
    act: 'fold',
    screens: ['viewer'],
    description: 'fold, or go to what holds it',
    footer: 'fold',
  },
  { keys: ['-'], act: 'foldAll', screens: ['viewer'], description: 'fold everything, or unfold it again' },
  {
    keys: ['c'],
    act: 'changes',
    screens: ['viewer'],
    description: 'the changed words, where there is a before and an after',
  },

  {
    keys: ['enter'],
    act: 'open',
    screens: ['findings'],
    description: 'go to the evidence',
    footer: 'evidence',
  },
  {
    keys: ['d'],
    act: 'definition',
    screens: ['findings'],
    description: 'what the check means',
    footer: 'definition',
  },
  {
    keys: ['s'],
    act: 'group',
    screens: ['findings'],
    description: 'group by check or by pair of agents',
    footer: 'group',
  },

  { keys: ['enter'], act: 'open', screens: ['metrics'], description: 'show the result', footer: 'result' },
  {
    keys: ['s'],
    act: 'group',
    screens: ['metrics'],
    description: 'split by pair, agent, day, framework, style, or not',
    footer: 'split',
  },
  { keys: ['enter'], act: 'open', screens: ['table'], description: 'open the run of the row', footer: 'run' },

  {
    keys: ['right', 'l'],
    act: 'nextColumn',
    screens: ['table'],
    description: 'columns further right',
    footer: 'columns',
  },
  { keys: ['left', 'h'], act: 'previousColumn', screens: ['table'], description: 'columns further left' },

  {
    keys: ['enter'],
    act: 'open',
    screens: ['lab'],
    description: 'run it and open its replay',
    footer: 'run it',
  },
  {
    keys: ['tab', 'left', 'right', 'h', 'l'],
    act: 'other',
    screens: ['lab'],
    description: 'the other timing or variant',
    footer: 'variant',
  },

  { keys: ['/'], act: 'search', screens: SEARCHED, description: 'search', footer: 'search' },
  { keys: ['n'], act: 'nextMatch', screens: SEARCHED, description: 'next match' },
  { keys: ['N'], act: 'previousMatch', screens: SEARCHED, description: 'previous match' },

  { keys: ['j', 'down', 'ctrl+n'], act: 'down', screens: LISTS, description: 'down' },
  { keys: ['k', 'up', 'ctrl+p'], act: 'up', screens: LISTS, description: 'up' },
  { keys: ['pagedown', 'space', 'ctrl+f'], act: 'pageDown', screens: LISTS, description: 'a page down' },
  { keys: ['pageup', 'b', 'ctrl+b'], act: 'pageUp', screens: LISTS, description: 'a page up' },
  { keys: ['ctrl+d'], act: 'halfDown', screens: LISTS, description: 'half a page down' },
  { keys: ['ctrl+u'], act: 'halfUp', screens: LISTS, description: 'half a page up' },
  { keys: ['g', 'home', '<'], act: 'first', screens: LISTS, description: 'to the beginning' },
  { keys: ['G', 'end', '>'], act: 'last', screens: LISTS, description: 'to the end' },

  { keys: ['1'], act: 'toRuns', description: 'runs' },
  { keys: ['2'], act: 'toReplay', description: 'replay of the run' },
  { keys: ['3'], act: 'toDiff', description: 'what crossed at its handoffs' },
  { keys: ['4'], act: 'toFindings', description: 'findings of the run, or of all runs' },
  { keys: ['5'], act: 'toMetrics', description: 'metrics' },
  { keys: ['6'], act: 'toLab', description: 'the lab' },
  { keys: [';'], act: 'sql', description: 'ask the store in SQL, read only' },
  { keys: ['y'], act: 'copy', description: 'copy what is selected to the clipboard of the terminal' },
  {
    keys: ['W'],
    act: 'write',
    description: 'write what the screen shows to a file: .md, .html, .json or .txt',
  },
  {
    keys: [':'],
    act: 'command',
    description: 'command line: run ID, compare RUN, sql QUERY, write FILE, theme NAME, q',
  },
  { keys: ['esc', 'backspace'], act: 'back', description: 'back', footer: 'back' },
  { keys: ['?'], act: 'help', description: 'this help', footer: 'help' },
  { keys: ['q', 'ctrl+c'], act: 'quit', description: 'quit', footer: 'quit' },
  { keys: ['ctrl+z'], act: 'suspend', description: 'suspend; fg comes back' },
  { keys: ['ctrl+l'], act: 'redraw', description: 'draw the screen anew' },
]
