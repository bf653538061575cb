import { expect, test } from 'vitest'
import { effectsOf, type Getter, type Standing } from './effects.ts'
import { NO_RULES } from './policy.ts'

const BUNDLE = { name: 'dev/app', tags: '', production: 'no' } as const
const DEPLOY: Getter = { name: 'deploy', is: ['a token'], patterns: [], gets: new Set(['bundle']) }

/** A workspace with one key in a bundle. `getters`: who gets the bundle. */
function standing(isSecret: boolean, getters: readonly Getter[]): Standing {
  return {
    rules: { workspace: NO_RULES, folders: new Map(), bundles: new Map() },
    bundles: new Map([['bundle', BUNDLE]]),
    keys: new Map([['key', { id: 'key', name: 'API_KEY', isSecret, bundleIds: ['bundle'] }]]),
    getters: new Map(getters.map((getter) => [getter.name, getter])),
  }
}

const gains = (before: Standing, after: Standing) => effectsOf(before, after, new Map()).gains

test('a machine that gets a bundle gets its secrets', () => {
  expect(gains(standing(true, []), standing(true, [DEPLOY]))).toEqual(['deploy gets API_KEY'])
})

test('a value that is not secret is no gain', () => {
  expect(gains(standing(false, []), standing(false, [DEPLOY]))).toEqual([])
  expect(gains(standing(false, []), standing(true, [DEPLOY]))).toEqual([])
})

test('a secret that becomes public is a gain', () => {
  expect(gains(standing(true, []), standing(false, []))).toEqual(['API_KEY is no secret any more'])
})
