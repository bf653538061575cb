import { expect, test } from 'vitest'
import { generateRootKey } from './root-key.ts'
import { isSetupCode, setupCode } from './setup-code.ts'

test('a root key gives one code, and another key another code', () => {
  const key = generateRootKey()
  expect(setupCode(key)).toMatch(/^(?:[0-9a-f]{5}-){3}[0-9a-f]{5}$/)
  expect(setupCode(key)).toBe(setupCode(key))
  expect(setupCode(generateRootKey())).not.toBe(setupCode(key))
})

test('only the code itself is right; blanks around it do not count', () => {
  const code = setupCode(generateRootKey())
  expect(isSetupCode(` ${code}\n`, code)).toBe(true)
  for (const wrong of ['', code.slice(1), `${code}0`, setupCode(generateRootKey())])
    expect(isSetupCode(wrong, code)).toBe(false)
})
