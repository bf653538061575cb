import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { EnvChip } from './env-chip.tsx'

const chip = (props: Parameters<typeof EnvChip>[0]) => renderToStaticMarkup(createElement(EnvChip, props))

test('the environment has the colour of production as the server says, and else as its name says', () => {
  expect(chip({ name: 'prod/web' })).toContain('env-prod')
  expect(chip({ name: 'prod/web', isProduction: false })).not.toContain('env-prod')
  expect(chip({ name: 'dev/web', isProduction: true })).toContain('env-prod')
  expect(chip({ name: 'dev/web', isProduction: false })).toContain('env-dev')
})
