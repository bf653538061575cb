import { expect, test } from 'vitest'
import { browserCommand, isBrowserElsewhere, whyNoBrowser } from './browser.ts'
import { besideOrBelow, qrCode, widthOf } from './panel.ts'
import { terminalStyle } from './terminal-style.ts'

const output = (isTerminal: boolean, columns = 80, rows = 40) => ({
  isTerminal,
  columns: () => columns,
  rows: () => rows,
  write: () => undefined,
})

type Place = [boolean, Record<string, string>, NodeJS.Platform]
const styleOf = ([isTerminal, env, platform]: Place) => terminalStyle(output(isTerminal), env, platform)

test.each<[string, Place, [hasColour: boolean, canRewrite: boolean, hasUnicode: boolean]]>([
  ['a terminal', [true, { TERM: 'xterm', LANG: 'C.UTF-8' }, 'linux'], [true, true, true]],
  ['a pipe', [false, { TERM: 'xterm', LANG: 'C.UTF-8' }, 'linux'], [false, false, true]],
  ['NO_COLOR', [true, { TERM: 'xterm', NO_COLOR: '1' }, 'linux'], [false, true, false]],
  ['an empty NO_COLOR', [true, { TERM: 'xterm', NO_COLOR: '' }, 'linux'], [true, true, false]],
  ['a dumb terminal', [true, { TERM: 'dumb', LANG: 'de_DE.utf8' }, 'linux'], [false, false, true]],
  ['no TERM', [true, {}, 'linux'], [false, false, false]],
  ['no TERM on Windows', [true, {}, 'win32'], [true, true, true]],
  ['no locale on macOS', [true, { TERM: 'xterm' }, 'darwin'], [true, true, true]],
  [
    'LC_ALL before LANG',
    [true, { TERM: 'xterm', LC_ALL: 'C', LANG: 'C.UTF-8' }, 'linux'],
    [true, true, false],
  ],
  [
    'LC_CTYPE before LANG',
    [true, { TERM: 'xterm', LC_ALL: '', LC_CTYPE: 'C', LANG: 'C.UTF-8' }, 'darwin'],
    [true, true, false],
  ],
])('%s decides on colours, rewriting and Unicode', (_, place, expected) => {
  const { hasColour, canRewrite, hasUnicode } = styleOf(place)
  expect([hasColour, canRewrite, hasUnicode]).toEqual(expected)
})

test('without colours and Unicode, signs are plain ASCII', () => {
  const colourful = styleOf([true, { TERM: 'xterm', LANG: 'C.UTF-8' }, 'linux'])
  const plain = styleOf([false, {}, 'linux'])
  const signs = ({ done, refused, waits, warns, production }: typeof plain) => [
    done,
    refused,
    waits,
    warns,
    production,
  ]
  expect(signs(plain)).toEqual(['ok', 'x', '*', '!', ' PRODUCTION '])
  expect(signs(colourful)).toEqual([
    '\u001b[32m✓\u001b[0m',
    '\u001b[31m✗\u001b[0m',
    '\u001b[33m●\u001b[0m',
    '\u001b[33m!\u001b[0m',
    '\u001b[1;97;41m PRODUCTION \u001b[0m',
  ])
  expect(['bold', 'dim', 'red', 'yellow'].map((name) => colourful[name as 'dim']('x'))).toEqual(
    ['1', '2', '31', '33'].map((code) => `\u001b[${code}mx\u001b[0m`),
  )
  const kinds = ['prod', 'staging', 'dev', null] as const
  expect(kinds.map((kind) => colourful.place('x', kind))).toEqual([
    '\u001b[31mx\u001b[0m',
    '\u001b[34mx\u001b[0m',
    'x',
    'x',
  ])
})

test('texts are on one line if they fit', () => {
  const cells = ['one', 'two'].map((text) => ({
    text,
    paint: (plain: string) => `\u001b[1m${plain}\u001b[0m`,
  }))
  expect(widthOf('\u001b[1m🚢a\u001b[0m')).toBe(2)
  expect(besideOrBelow(cells, 11).map(widthOf)).toEqual([11])
  expect(besideOrBelow(cells, 10).map(widthOf)).toEqual([5, 5])
  expect(besideOrBelow(cells, 9, ' ').map(widthOf)).toEqual([9])
})

test('a QR code needs a terminal that is large enough and has block letters', () => {
  const style = styleOf([true, { TERM: 'xterm', LANG: 'C.UTF-8' }, 'linux'])
  const code = (columns: number, rows: number, of = style) =>
    qrCode('https://k.example/a/x', output(true, columns, rows), of)
  const lines = code(200, 200)
  const [width, height] = [widthOf(lines[0] ?? ''), lines.length]
  expect(lines[0]?.startsWith('  \u001b[97;40m')).toBe(true)
  expect([
    code(width + 2, height + 14).length,
    code(width + 1, 200).length,
    code(200, height + 13).length,
  ]).toEqual([height, 0, 0])
  expect(code(200, 200, styleOf([true, { TERM: 'xterm', LANG: 'C' }, 'linux']))).toEqual([])
  expect(code(200, 200, styleOf([true, { TERM: 'dumb', LANG: 'C.UTF-8' }, 'linux']))).toEqual([])
  const plain = code(200, 200, styleOf([true, { TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1' }, 'linux']))
  expect(plain.join('')).not.toContain('\u001b')
})

test.each<[Record<string, string>, NodeJS.Platform, string | null]>([
  [{ CI: '1', DISPLAY: ':0' }, 'linux', 'this is a CI job'],
  [{ BROWSER: 'none', DISPLAY: ':0' }, 'linux', 'BROWSER is none'],
  [{ BROWSER: '/bin/sh', SSH_TTY: 'x' }, 'linux', null],
  [{ SSH_CONNECTION: 'x', DISPLAY: ':0' }, 'linux', 'this is an SSH session'],
  [{ SSH_TTY: 'x' }, 'darwin', 'this is an SSH session'],
  [{ SSH_CLIENT: 'x' }, 'win32', 'this is an SSH session'],
  [{}, 'linux', 'there is no display'],
  [{ DISPLAY: '' }, 'linux', 'there is no display'],
  [{ DISPLAY: ':0' }, 'linux', null],
  [{ WAYLAND_DISPLAY: 'x' }, 'linux', null],
  [{ WSL_DISTRO_NAME: 'x' }, 'linux', null],
  [{}, 'darwin', null],
  [{}, 'win32', null],
  [{ BROWSER: 'none' }, 'win32', null],
])('with %o on %s, the reason to open no browser is: %s', (env, platform, why) => {
  expect(whyNoBrowser(env, platform)).toBe(why)
})

test.each<[Record<string, string>, readonly string[] | null]>([
  [{}, null],
  [{ BROWSER: ' : ' }, null],
  [{ BROWSER: 'no-such:sh -c x', PATH: '/bin' }, ['sh', '-c', 'x']],
  [{ BROWSER: 'no-such -a:nor-this', PATH: '/bin' }, ['no-such', '-a']],
  [{ BROWSER: 'no-such:none' }, ['none']],
  [{ BROWSER: ' /bin/sh ' }, ['/bin/sh']],
])('the browser of %o is %j', (env, command) => {
  expect(browserCommand(env, 'linux')).toEqual(command)
})

test.each([
  'SSH_CONNECTION',
  'SSH_TTY',
  'SSH_CLIENT',
  'CODESPACES',
  'REMOTE_CONTAINERS',
  'GITPOD_WORKSPACE_ID',
])('%s means that the browser is on another machine', (name) => {
  expect([{ [name]: 'x' }, { [name]: '' }, {}].map(isBrowserElsewhere)).toEqual([true, false, false])
})
