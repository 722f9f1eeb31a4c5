/*
 * How strictly a rule binds, by the words that say so: a ban, a bound to what is allowed, a duty.
 */

const BANS = said(
  "never|not|no|none|nothing|nobody|neither|nor|cannot|\\p{L}+n['’]t|forbidden|forbid|prohibited|disallowed",
  'nie|niemals|nicht|nichts|niemand|keine?[mnrs]?|verboten|untersagt|jamais|pas|nunca|prohibido',
)
const BOUNDS = said(
  'only|solely|exclusively|at most|no more than|not more than|up to|max|maximum|exceed(s|ing)?|unless|except|without',
  'nur|ausschließlich|höchstens|maximal|außer|ohne|seulement|uniquement|sauf|sans|s[oó]lo|salvo|sin',
)
const DUTIES = said(
  'must|shall|always|mandatory|required|requires?|have to|has to|needs?',
  'muss|müssen|immer|stets|doit|toujours|debe|siempre',
)
const WEAK = said(
  'try|avoid|prefer|preferably|should|ideally|usually|generally|normally|consider|(if|where|when|wherever) possible',
  'sollte[nt]?|möglichst|wenn möglich|versuche|vermeide|devrait|debería|evita(r)?|évite(r|z)?',
)

function said(...words: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
}

const KINDS = [BOUNDS, BANS, DUTIES]

/** The word that makes a rule strict, if nothing as strict is in the other words for it. A ban is not kept by a bound. */
export function strictWordLost(rule: string, words: string): string | undefined {
  const kind = KINDS.find((one) => one.test(rule))
  const isKept =
    kind === BANS ? BANS.test(words) && !BOUNDS.test(words) : KINDS.some((one) => one.test(words))
  return isKept ? undefined : kind?.exec(rule)?.[0]
}

/** The word that makes the other words for a rule weaker than the rule. */
export function weakWordAdded(rule: string, words: string): string | undefined {
  return WEAK.test(rule) ? undefined : WEAK.exec(words)?.[0]
}
