import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const CSS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const THEMES = ['light', 'dark'] as const

/** The light and the dark value of each colour. */
const COLOURS = new Map(
  [...CSS.matchAll(/--color-([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name = '', light, dark, both]) => [name, { light: light ?? both ?? '', dark: dark ?? both ?? '' }],
  ),
)

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(front: string, back: string, theme: (typeof THEMES)[number]): number {
  const [lighter = 0, darker = 0] = [front, back]
    .map((name) => luminance(COLOURS.get(name)?.[theme] ?? ''))
    .toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

const GROUNDS = ['canvas', 'surface', 'raised', 'sunken']
const pairs = (fronts: readonly string[], backs: readonly string[]) =>
  fronts.flatMap((front) => backs.map((back) => [front, back] as const))

const TEXTS = [
  ...pairs(['ink', 'ink-soft', 'ink-faint', 'accent', 'danger', 'caution', 'good'], GROUNDS),
  ...pairs(['ink'], ['accent-soft', 'danger-soft', 'caution-soft', 'good-soft']),
  ...['accent', 'danger', 'caution', 'good', 'dev', 'staging'].map((name) => [name, `${name}-soft`] as const),
  ...pairs(['on-accent'], ['accent', 'accent-strong']),
  ...pairs(['on-danger'], ['danger-fill', 'danger-fill-strong']),
  ...pairs(['surface'], ['ink', 'ink-soft']),
]
const PARTS = pairs(['edge', 'accent', 'caution-dot', 'good-dot', 'danger-fill'], ['canvas', 'surface'])

test.each(THEMES)(
  'every text has a contrast of 4.5 in the %s theme, and every part of a control 3',
  (theme) => {
    const tooLow = (needed: number, list: readonly (readonly [string, string])[]) =>
      list.filter(([front, back]) => !(contrast(front, back, theme) >= needed))
    expect(tooLow(4.5, TEXTS)).toEqual([])
    expect(tooLow(3, PARTS)).toEqual([])
  },
)

test('each colour has a value for both themes, and is in the table', () => {
  const inTable = new Set([...TEXTS, ...PARTS].flat())
  // A line only divides, and what is beside a bar says the same: no text or control depends on them.
  expect([...COLOURS.keys()].filter((name) => !inTable.has(name))).toEqual(['line', 'bar'])
  expect(CSS.match(/--color-[\w-]+: /g)?.length).toBe(COLOURS.size)
})
