import { describe, expect, it } from 'vitest'
import { chooseTheme, THEMES } from '../../tui/theme.ts'

type Rgb = readonly [red: number, green: number, blue: number]

/** Colours 16 to 255 of a terminal: a cube of six steps, then greys. */
function rgbOf(colour: number): Rgb {
  if (colour >= 232) {
    const grey = 8 + 10 * (colour - 232)
    return [grey, grey, grey]
  }
  const steps = [0, 95, 135, 175, 215, 255]
  const at = colour - 16
  return [steps[Math.floor(at / 36)]!, steps[Math.floor(at / 6) % 6]!, steps[at % 6]!]
}

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function colourOf(code: string, kind: 38 | 48): Rgb | undefined {
  const found = new RegExp(`(?:^|;)${kind};5;(\\d+)`).exec(code)?.[1]
  return found === undefined ? undefined : rgbOf(Number(found))
}

/** Backgrounds that people have: the bare one, and that of the palette Solarized. */
const BACKGROUNDS: Record<'dark' | 'light', readonly Rgb[]> = {
  dark: [
    [0, 0, 0],
    [0, 43, 54],
  ],
  light: [
    [255, 255, 255],
    [253, 246, 227],
  ],
}

describe.each(['dark', 'light'] as const)('the theme %s', (name) => {
  it('can be read: 4.5 for text, 3 for what only frames it (WCAG 1.4.3 and 1.4.11)', () => {
    for (const [tone, code] of Object.entries(THEMES[name].tones)) {
      const text = colourOf(code, 38)
      for (const background of BACKGROUNDS[name]) {
        if (text === undefined) continue
        const least = tone === 'frame' ? 3 : 4.5
        const measured = contrast(text, colourOf(code, 48) ?? background)
        expect([tone, background, measured >= least, measured]).toEqual([tone, background, true, measured])
      }
    }
  })
})

describe('which theme', () => {
  it.each([
    [{}, 'dark'],
    [{ COLORFGBG: '0;15' }, 'light'],
    [{ COLORFGBG: '15;default;0' }, 'dark'],
    [{ COLORFGBG: '0;15', HANDSPAN_THEME: 'dark' }, 'dark'],
    [{ HANDSPAN_THEME: 'light', NO_COLOR: '1' }, 'no-color'],
    [{ HANDSPAN_THEME: 'constructor' }, 'dark'],
    [{ NO_COLOR: '' }, 'dark'],
  ] as [Record<string, string>, string][])('for %j it is %s', (env, theme) => {
    expect(chooseTheme(env).name).toBe(theme)
  })

  it('without colour no tone is a colour', () => {
    for (const code of Object.values(THEMES['no-color'].tones))
      expect(code).toMatch(/^(?:[12479](?:;[12479])*)?$/)
  })
})
