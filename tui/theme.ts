/*
 * Meanings, and how each looks. Screens name meanings only. A theme without colour is a theme like the others: it
 * tells by weight and inversion, and everything it tells stands in words or signs as well.
 */

import type { Tone } from './tone.ts'

/** The parameters of an SGR sequence for each meaning; empty for none. */
export type Theme = { name: ThemeName; tones: Record<Tone, string> }

export type ThemeName = 'dark' | 'light' | 'no-color'

const dark: Theme = {
  name: 'dark',
  tones: {
    strong: '1',
    faint: '38;5;247',
    title: '1;38;5;252',
    frame: '38;5;244',
    focus: '38;5;75',
    agent: '38;5;80',
    error: '1;38;5;203',
    warning: '38;5;214',
    good: '38;5;114',
    key: '38;5;75',
    lit: '1;38;5;229;48;5;58',
    selected: '1;38;5;231;48;5;24',
    found: '30;48;5;221',
  },
}

const light: Theme = {
  name: 'light',
  tones: {
    strong: '1',
    faint: '38;5;240',
    title: '1;38;5;236',
    frame: '38;5;244',
    focus: '38;5;25',
    agent: '38;5;23',
    error: '1;38;5;160',
    warning: '38;5;94',
    good: '38;5;22',
    key: '38;5;25',
    lit: '1;38;5;16;48;5;229',
    selected: '1;38;5;16;48;5;153',
    found: '30;48;5;222',
  },
}

const noColor: Theme = {
  name: 'no-color',
  tones: {
    strong: '1',
    faint: '2',
    title: '1',
    frame: '2',
    focus: '1',
    agent: '',
    error: '1',
    warning: '',
    good: '',
    key: '1',
    lit: '1;4',
    selected: '7',
    found: '4',
  },
}

export const THEMES: Record<ThemeName, Theme> = { dark, light, 'no-color': noColor }

/**
 * The theme for an environment: without colour if NO_COLOR is set to anything; else HANDSPAN_THEME; else by the
 * background that COLORFGBG states; else dark.
 */
export function chooseTheme(env: Record<string, string | undefined>): Theme {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return noColor
  const named = env.HANDSPAN_THEME
  if (named !== undefined && Object.hasOwn(THEMES, named)) return THEMES[named as ThemeName]
  const background = env.COLORFGBG?.split(';').at(-1)
  return background === '7' || background === '15' ? light : dark
}
