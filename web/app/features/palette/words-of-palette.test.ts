import { expect, onTestFinished, test } from 'vitest'
import { expectWords, of, onPage, type State, wordsOf } from '../../test/static-words.ts'
import { Palette } from './palette.tsx'

onPage()

const BUNDLES = [{ id: 'b1', name: 'dev/shop', tags: '', description: '' }]
const KEYS = [{ id: 'k1', name: 'PORT', bundles: [{ id: 'b1', name: 'dev/shop', as: 'PORT' }] }]
const OWNER = ['createInvitation', 'createMachine', 'moveLibrary']
const palette = (state: State = {}, may: readonly string[] = ['createInvitation']) =>
  wordsOf(of(Palette, { onClose: () => undefined }), {
    ...state,
    answered: [
      ['getMe', {}, { may }],
      ['listBundles', {}, BUNDLES],
      ['listKeys', { uses: '1' }, KEYS],
      ['listTenants', {}, [{ id: 'w2', name: 'Shop' }]],
    ],
  })
const typed = (text: string, may?: readonly string[]) =>
  palette({ acts: { Palette: [['onChange', 'combobox', { currentTarget: { value: text } }]] } }, may)

test('the palette shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    places: palette(),
    'a variable': typed('port'),
    'a bundle': typed('dev'),
    'an action': typed('switch'),
    'what is new': typed('new', OWNER),
    'what is new, for a member': typed('new', []),
    'what can be brought in': typed('bring', OWNER),
    'what a member can bring in': typed('bring', []),
    'who is invited': typed('invite', OWNER),
    nothing: typed('zzzz'),
    'go to the first': palette({ acts: { Palette: [['onPick']] } }),
  })
})

/** Each place where the person went, the latest first, as this browser keeps them. */
function recentAfter(before: readonly string[], ...texts: readonly string[]): string[] {
  const kept = new Map<string, string>()
  const value = {
    getItem: () => [...kept.values()][0] ?? JSON.stringify(before),
    setItem: (name: string, text: string) => void kept.set(name, text),
  }
  Object.defineProperty(globalThis, 'localStorage', { value, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'localStorage'))
  for (const text of texts) {
    const change = ['onChange', 'combobox', { currentTarget: { value: text } }] as const
    palette({ acts: { Palette: [change, ['onPick']] } })
  }
  return JSON.parse([...kept.values()][0] ?? '[]')
}

test('each place where a person went is kept once, the latest first, and the last 20', () => {
  const [bundle, variable, ...others] = recentAfter([], 'port', 'dev', 'port', 'dev')
  expect([bundle, variable, others]).toEqual([
    expect.stringMatching(/^Bundle .*b1/),
    expect.stringMatching(/^Variable .*k1/),
    [],
  ])
  const many = Array.from({ length: 20 }, (_, index) => `place ${index}`)
  expect(recentAfter(many, 'dev')).toEqual([bundle, ...many.slice(0, 19)])
})
