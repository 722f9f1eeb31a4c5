import type { Judged } from '../report/accepted.ts'
import type { Act } from './act.ts'
import type { Schema } from './completion.ts'
import { suggestedFile } from './export.ts'
import { Follower } from './follow.ts'
import type { Input } from './input.ts'
import { actOf } from './keys.ts'
import type { Outside } from './outside.ts'
import { type Paste, pastedRemedy, pasteNamed } from './paste.ts'
import { Prompt, type PromptKind } from './prompt.ts'
import type { Routes } from './routes.ts'
import type { Screen, ScreenName, Size } from './screen.ts'
import type { Source } from './source.ts'
import { THEMES, type Theme, type ThemeName } from './theme.ts'
import { type TraceLink, traceLinks } from './trace-link.ts'

const OPENERS = new Set<string>(['command', 'search', 'filter', 'sql'])

export type Notice = { text: string; tone: 'faint' | 'warning' | 'error' | 'good' }

/**
 * Everything that is going on: the screens on top of each other, what is being typed, what is said below. Keys come in,
 * `changed` tells the painter to paint. Knows nothing of ink.
 */
export class Session {
  readonly outside: Outside
  readonly screens: Screen[] = []
  readonly traceLink: TraceLink
  readonly paste: Paste
  #source: Source | undefined
  size: Size = { width: 80, height: 20 }
  theme: Theme
  prompt: Prompt | undefined
  notice: Notice | undefined
  /** What can be asked in SQL, once the line for it was opened. */
  schema: Schema = new Map()
  /** The run that screens of one run show. */
  analysis: Judged | undefined
  readonly follower = new Follower(this)
  version = 0
  #listeners = new Set<() => void>()
  #lastSearch = ''
  #history: Record<PromptKind, string[]> = { command: [], search: [], filter: [], sql: [] }
  #routes: Routes | undefined
  #closed = false

  constructor(options: {
    outside: Outside
    theme: Theme
    traceLink?: TraceLink | undefined
    paste?: Paste | undefined
  }) {
    this.paste = options.paste ?? pasteNamed
    this.traceLink = options.traceLink ?? traceLinks(undefined)
    this.outside = options.outside
    this.theme = options.theme
  }

  get isOpen(): boolean {
    return this.#source !== undefined
  }

  /** Where runs come from. Screens of runs exist only once it is open. */
  get source(): Source {
    return this.#source!
  }

  /** What it shows and where keys lead. Apart from the rest, so that a frame stands before either is loaded. */
  opened(source: Source, routes: Routes): void {
    this.#source = source
    this.#routes = routes
    // What was said of keys that came too early holds no more.
    this.notice = undefined
  }

  get screen(): Screen {
    return this.screens.at(-1)!
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  changed(): void {
    if (this.#closed) return
    this.version++
    for (const listener of this.#listeners) listener()
  }

  push(screen: Screen): void {
    this.screens.push(screen)
    this.changed()
  }

  /** Puts a screen in the place of all others. */
  replace(screen: Screen): void {
    for (const old of this.screens.splice(0)) old.close?.()
    this.push(screen)
  }

  /** Leaves the screen on top; the last one stays. */
  pop(): void {
    if (this.screens.length < 2) {
      this.say('this is the first screen; q quits')
      return
    }
    this.screens.pop()!.close?.()
    this.changed()
  }

  /** Back to the topmost screen of a name, if there is one. */
  popTo(name: ScreenName, fits: (screen: Screen) => boolean = () => true): boolean {
    const at = this.screens.findLastIndex((screen) => screen.name === name && fits(screen))
    if (at < 0) return false
    for (const screen of this.screens.splice(at + 1)) screen.close?.()
    this.changed()
    return true
  }

  say(text: string, tone: Notice['tone'] = 'faint'): void {
    this.notice = { text, tone }
    this.changed()
  }

  /** Does something that takes time, says so if it takes long, and says what went wrong if it did. */
  async during<T>(what: string, work: Promise<T>, then: (result: T) => void): Promise<void> {
    const slow = setTimeout(() => this.say(`${what} …`), 150)
    try {
      const result = await work
      clearTimeout(slow)
      if (this.#closed) return
      if (this.notice?.text === `${what} …`) this.notice = undefined
      then(result)
      this.changed()
    } catch (error) {
      clearTimeout(slow)
      if (!this.#closed) this.fail(error)
    }
  }

  fail(error: unknown): void {
    const { message, remedy } = error as { message?: string; remedy?: string }
    const said = message ?? String(error)
    const between = said.includes('\n') ? '\n' : '  '
    this.say(remedy ? said + between + pastedRemedy(remedy, this.paste) : said, 'error')
  }

  ask(kind: PromptKind, text = ''): void {
    this.prompt = new Prompt(kind, text, this.#history[kind])
    this.changed()
  }

  setTheme(name: ThemeName): void {
    this.theme = THEMES[name]
    this.changed()
  }

  openRun(name: string): void {
    this.#routes?.openRun(name)
  }

  close(): void {
    this.#closed = true
    this.follower.stop()
    for (const screen of this.screens) screen.close?.()
  }

  input(input: Input): void {
    if (this.prompt !== undefined) this.#type(this.prompt, input)
    else if ('paste' in input) this.#paste(input.paste)
    else this.#press(input.key)
  }

  /** Typed faster than keys can be told apart: what opens a line opens it, and the rest goes into it. */
  #paste(text: string): void {
    const [first = '', ...rest] = text
    if (OPENERS.has(actOf(this.screen.name, first) ?? '')) {
      this.#press(first)
      this.prompt?.insert(rest.join(''))
      this.changed()
    } else this.say('pasted text is ignored here; : / f and ; open a line to paste into')
  }

  #type(prompt: Prompt, input: Input): void {
    if ('paste' in input) prompt.insert(input.paste)
    else if (input.key === 'esc' || input.key === 'ctrl+c') this.#stopTyping()
    else if (input.key === 'backspace' && prompt.text === '') this.#stopTyping()
    else if (input.key === 'tab') this.#complete(prompt)
    else if (input.key === 'enter') {
      this.#stopTyping()
      this.#submit(prompt)
    } else if (!prompt.press(input.key)) prompt.insert(input.text ?? '')
    this.changed()
  }

  #stopTyping(): void {
    this.prompt = undefined
    this.notice = undefined
  }

  #complete(prompt: Prompt): void {
    const completer = this.#routes?.completer(prompt.kind)
    if (completer !== undefined) prompt.complete(completer)
  }

  #submit(prompt: Prompt): void {
    const { kind, text } = prompt
    const history = this.#history[kind]
    if (text !== '' && history.at(-1) !== text) history.push(text)
    if (kind === 'command') this.#routes?.command(text.trim())
    else if (kind === 'sql') this.#routes?.command(text.trim() === '' ? '' : `sql ${text.trim()}`)
    else if (kind === 'search') {
      this.#lastSearch = text
      if (text !== '') void this.#search(1, true)
    } else {
      const complaint = this.screen.filter?.set(text)
      if (complaint === undefined) return
      // Its line stays open to be mended.
      this.prompt = prompt
      this.say(complaint, 'error')
    }
  }

  async #search(direction: 1 | -1, fresh: boolean): Promise<void> {
    const text = this.#lastSearch
    if (text === '') {
      this.say('nothing was searched for yet; / asks')
      return
    }
    const found = this.screen.search?.(text, direction, fresh)
    await this.during('searching', Promise.resolve(found), (hit) => {
      if (hit !== true) this.say(`no ${fresh ? '' : 'further '}match for ${text}`, 'warning')
    })
  }

  #press(key: string): void {
    this.notice = undefined
    const { screen } = this
    const act = actOf(screen.name, key)
    const reason = act === undefined ? undefined : screen.disabled?.(act)
    if (!this.isOpen && act !== 'quit' && act !== 'suspend') this.say('it is still being opened; q quits')
    else if (act === undefined) this.say(`${key} does nothing here; ? lists the keys`)
    else if (reason !== undefined) this.say(reason, 'warning')
    else if (!this.#common(act) && !this.#routes?.navigate(act)) screen.act(act)
    this.changed()
  }

  /** Acts that mean the same on every screen. */
  #common(act: Act): boolean {
    if (act === 'quit') this.outside.quit()
    else if (act === 'back') this.pop()
    else if (act === 'suspend') this.outside.suspend()
    else if (act === 'redraw') this.outside.redraw()
    else if (act === 'command') this.ask('command')
    else if (act === 'search') this.ask('search')
    else if (act === 'nextMatch') void this.#search(1, false)
    else if (act === 'previousMatch') void this.#search(-1, false)
    else if (act === 'filter') this.ask('filter', this.screen.filter?.text)
    else if (act === 'copy') this.#copy()
    else if (act === 'write') this.#askFile()
    else if (act === 'follow') this.#follow()
    else return false
    return true
  }

  #follow(): void {
    if (this.follower.on) {
      this.follower.stop()
      this.say('no longer following')
    } else {
      this.follower.start()
      this.screen.act('follow')
      this.say('following what agents write; F stops', 'good')
    }
  }

  /** What is shown was read already, so a name can be made of it before anybody asks to write. */
  #askFile(): void {
    const exported = this.screen.exported?.()
    if (exported === undefined) this.say('this screen has nothing to write', 'warning')
    else this.ask('command', `write ${suggestedFile(exported)}`)
  }

  #copy(): void {
    const copied = this.screen.copied?.()
    if (copied === undefined) {
      this.say('nothing is selected that could be copied', 'warning')
      return
    }
    this.outside.copy(copied.text)
    this.say(`copied ${copied.what}`, 'good')
  }
}
