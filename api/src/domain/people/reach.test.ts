import { expect, test } from 'vitest'
import { reaches } from './reach.ts'

/** Patterns, the name of a bundle, and whether they reach it. Written by hand: storage asks by the same helper. */
const CASES: [string[], string, boolean][] = [
  [['*/shop'], 'prod/shop', true],
  [['*/shop'], 'eu/prod/shop', true],
  [['*/shop'], 'Prod/Shop', true],
  [['*/shop'], 'workshop', false],
  [['*/shop'], 'prod/workshop', false],
  [['*/shop'], 'shop', false],
  [['*/shop'], 'prod/shops', false],
  [['*/shop'], 'prod/shop/web', false],
  [['*/shop'], 'prod-shop', false],
  [['prod/'], 'prod/web', true],
  [['prod/'], 'prod/eu/web', true],
  [['PROD/'], 'prod/web', true],
  [['prod/'], 'production/web', false],
  [['prod/'], 'production', false],
  [['prod/'], 'prod', false],
  [['prod/'], 'eu/prod/web', false],
  [['prod/'], 'prod-eu/web', false],
  [['prod/eu/'], 'prod/web', false],
  [['shop'], 'shop', true],
  [['shop'], 'SHOP', true],
  [['shop'], 'workshop', false],
  [['shop'], 'shops', false],
  [['shop'], 'shop/web', false],
  [['shop'], 'prod/shop', false],
  [['my_app'], 'my-app', false],
  [['my_app/'], 'myxapp/web', false],
  [['dev/', '*/shop'], 'prod/shop', true],
  [['dev/', '*/shop'], 'prod/web', false],
  [[], 'shop', false],
]

test.each(CASES)('a limit to %j and the bundle %s: reached %s', (patterns, name, isReached) => {
  expect(reaches({ patterns, since: '2026-06-01T00:00:00.000Z' }, name)).toBe(isReached)
})

test('without a limit every bundle is reached', () => expect(reaches(null, 'prod/shop')).toBe(true))
