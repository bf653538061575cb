import { expect, test } from 'vitest'
import { changed, parseChanges } from './changes.ts'
import { draw } from './draw.ts'

const textsOf = (source: string, file = 'api/src/a.ts') =>
  parseChanges(file, source).changes.map((change) => changed(source, change))

test.each([
  ['a comparison', 'a === b', ['a !== b']],
  ['a boundary', 'a < b', ['a <= b']],
  ['a logical operator', 'a && b', ['a || b']],
  ['a fallback', 'a ?? b', ['a']],
  ['a condition', 'if (a) b', ['if (true) b', 'if (false) b']],
  ['branches', 'a ? b : c', ['a ? c : b']],
  ['a call', 'await ask(a)', [';']],
  ['a clause of a query', 'const a = b.where("c").all()', ['const a = b.all()']],
  ['arguments of one kind', 'a = f(b, c)', ['a = f(c, b)']],
  ['an entry', 'a = [b, c]', ['a = [c]', 'a = [b]']],
  ['a truth', 'a = true', ['a = false']],
  ['a number', 'a = 1', ['a = 2']],
  ['a message', "a = 'Not so good'", ["a = ''"]],
  ['a function', 'function a() { b = c }', ['function a() { return; b = c }']],
])('changes %s', (_, source, expected) => {
  expect(textsOf(source)).toEqual(expected)
})

test.each([
  ['types', 'type A = 1 | true'],
  ['the fallback of what is looked up', 'a = b.get(c)?.d ?? e'],
  ['imports', "import a from 'the odd module'"],
  ['arguments of two kinds', 'a = f(b, 1 as never)'],
  ['the order of what is compared', 'a = isSame(b.c, b.d)'],
  ['pixels', 'const A_PX = 5'],
  ['where a long text ends', 'a = printable(b, 60)'],
  ['examples', 'a = b({ examples: [c, d] }, e())'],
  ['that a listener is called once', "a = b('c', d(), { once: true })"],
  ['the limit of what reads one row', 'a = b.limit(1).executeTakeFirst()'],
])('does not change %s', (_, source) => {
  expect(textsOf(source).filter((text) => !text.includes('2'))).toEqual([])
})

test('changed sizes of drawings do not count as faults', () => {
  expect(textsOf('a = <A size={b ? 15 : 16} aria-level={1} />', 'web/app/a.tsx')).toEqual([
    'a = <A size={b ? 16 : 15} aria-level={1} />',
    'a = <A size={b ? 15 : 16} aria-level={2} />',
  ])
})

test('how much less or more a comparison says is no fault', () => {
  expect(textsOf('a = b(c ? -1 : 1)')).toEqual(['a = b(c ? 1 : -1)'])
})

test('class names of the browser app are not messages', () => {
  expect(textsOf("a = 'flex items-center gap'", 'web/app/a.ts')).toEqual([])
})

const change = (name: string, kind = 'truth') => ({ name, kind })
const LARGE = { lines: 900, changes: Array.from({ length: 50 }, (_, index) => change(`large ${index}`)) }
const SMALL = { lines: 1, changes: [change('small')] }

test('a room gets its share of the draw, and at least one', () => {
  const names = draw([LARGE, SMALL], { count: 10, seed: 1 }).map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('large'))).toHaveLength(10)
  expect(names).toContain('small')
})

test('a draw has no change twice', () => {
  const drawn = draw([LARGE], { count: 50, seed: 1 })
  expect(new Set(drawn.map(({ name }) => name)).size).toBe(50)
})

test('a rare kind is as likely as a common one', () => {
  const rare = Array.from({ length: 10 }, (_, index) => change(`rare ${index}`, 'call'))
  const rooms = [{ lines: 1, changes: [...LARGE.changes, ...rare] }]
  const drawn = draw(rooms, { count: 10, seed: 1 })
  expect(drawn.filter(({ kind }) => kind === 'call').length).toBeGreaterThan(2)
})

test('the same seed draws the same changes, and another seed draws others', () => {
  const [drawn, again, other] = [7, 7, 8].map((seed) => draw([LARGE], { count: 10, seed }))
  expect(again).toEqual(drawn)
  expect(other).not.toEqual(drawn)
})
