import { type Item, textOfContent } from '../../model/items.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import type { Receipt } from '../run.ts'
import { containsValue, wordsOf } from '../text.ts'
import type { LiftedDenial } from './lifted-denials.ts'

/** Where a payload refuses something: an item that is a refusal by its form, a call that was denied, or an entry of `rejected` in the record. */
export type Refusal = {
  path: string
  id: string
  words: string
  /** The tool that it names in a field, or is the answer to a call of. */
  tools: string[]
  /** Entries list what was tried and dropped, for whatever reason. */
  isEntry: boolean
}

export function refusalsIn({ items = [], record }: Receipt): Refusal[] {
  const calledTool = ({ call }: Item) =>
    call === undefined ? undefined : items.findLast((other) => other.call === call && other.tool)?.tool
  const isLastAnswer = (item: Item) =>
    items.findLast((other) => other.type === 'tool_result' && calledTool(other) === calledTool(item)) === item
  const isDenied = (item: Item) => isDeniedCall(item) && isLastAnswer(item)
  const inItems = items
    .filter((item) => isRefusal(item) || isDenied(item))
    .map(
      (item): Refusal => ({
        path: item.path,
        id: item.id ?? item.path,
        words: item.text,
        tools: [namedTool(item.raw), calledTool(item)].filter((tool) => tool !== undefined),
        isEntry: false,
      }),
    )
  const entries = listOf(record?.raw.rejected).map((entry, index): Refusal => {
    const path = `record.rejected[${index}]`
    const words = isObject(entry) ? Object.values(entry).map(textOfContent).join(' ') : textOfContent(entry)
    return { path, id: path, words, tools: [], isEntry: true }
  })
  return [...inItems, ...entries]
}

/** True if it refuses what was denied: the tool, with the arguments that were; an entry must also say why. */
export function refuses(refusal: Refusal, denial: LiftedDenial): boolean {
  const { words, tools, isEntry } = refusal
  const { tool, values } = denial
  if (!tools.includes(tool) && !holds(words, tool)) return false
  return values.every((value) => holds(words, value)) && (!isEntry || isBan(words, denial))
}

/** True if the words are about the denial: they name the tool, or share a word with the rule that denied it. */
export function concerns(words: string, { tool, rule }: LiftedDenial): boolean {
  return holds(words, tool) || sharesWord(words, rule?.text ?? '', tool)
}

const BANS =
  /\b(forb[ai]d\w*|den(y|ies|ied|ial)|prohibit\w*|disallow\w*|refus\w*|permission|(not|un)[ -]?(allowed|permitted|authori[sz]ed)|may not|verboten|untersagt|nicht erlaubt)\b/iu

/** Nothing but the name of the tool, or words of a ban, or of the rule itself. */
function isBan(words: string, { tool, rule }: LiftedDenial): boolean {
  const isBare = words.trim().toLowerCase() === tool.toLowerCase()
  return isBare || BANS.test(words) || sharesWord(words, rule?.text ?? '', tool)
}

// Shorter words stand in any sentence.
const TELLING = 5

/** A word of the rule that is not the tool's own name in some form. */
function sharesWord(words: string, rule: string, tool: string): boolean {
  const name = tool.toLowerCase()
  const own = (word: string) => word.startsWith(name) || name.includes(word)
  const said = wordsOf(words)
  return [...wordsOf(rule)].some((word) => word.length >= TELLING && !own(word) && said.has(word))
}

function holds(words: string, value: string): boolean {
  return containsValue(words.toLowerCase(), value.toLowerCase())
}

// A longer result is what the tool found, in which such words may stand.
const LONGEST_DENIAL = 300

/** A call that was denied has words of a ban for its result. */
function isDeniedCall({ type, text }: Item): boolean {
  return type === 'tool_result' && text.length <= LONGEST_DENIAL && BANS.test(text)
}

const REFUSED_BY = ['refuses', 'refused', 'refusal', 'denies', 'denied']

function isRefusal({ type, raw }: Item): boolean {
  if (!isObject(raw)) return REFUSAL.test(type)
  if (REFUSED_BY.some((field) => raw[field] === true || textOf(raw[field]) !== undefined)) return true
  if (/^(refused|denied|rejected)$/iu.test(textOf(raw.state) ?? textOf(raw.status) ?? '')) return true
  if (type === 'message' && listOf(raw.content).some(isRefusalPart)) return true
  return REFUSAL.test(`${type} ${textOf(raw.intent) ?? ''}`)
}

const REFUSAL = /refus|denial|rejection/iu

/** OpenAI has the words with which a model refuses as a part of its message. */
function isRefusalPart(part: unknown): boolean {
  return isObject(part) && REFUSAL.test(textOf(part.type) ?? '')
}

function namedTool(raw: unknown): string | undefined {
  if (!isObject(raw)) return undefined
  return [...REFUSED_BY, 'tool', 'action']
    .map((field) => textOf(raw[field]))
    .find((name) => name !== undefined)
}
