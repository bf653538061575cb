import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { billOfMaterials } from './bill-of-materials.ts'
import { ROOT } from './places.ts'
import { vulnerabilityStatements } from './vulnerabilities.ts'

test('the statements are about the versions of the lock file, and are always the same', async () => {
  const bill = await billOfMaterials()
  const text = vulnerabilityStatements(bill)
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { version } = lock.packages['node_modules/cross-spawn']
  const { statements, ...document } = JSON.parse(text)
  expect(document).toMatchObject({ '@context': 'https://openvex.dev/ns/v0.2.0', version: 1 })
  expect(document['@id']).toMatch(/^https:\/\/openvex\.dev\/docs\/public\/vex-[0-9a-f]{64}$/)
  expect(statements[0]).toMatchObject({
    vulnerability: { name: 'CVE-2024-21538' },
    products: [
      {
        '@id': expect.stringMatching(/^pkg:npm\/keyferry@/),
        subcomponents: [{ '@id': `pkg:npm/cross-spawn@${version}` }],
      },
    ],
    status: 'fixed',
  })
  expect(vulnerabilityStatements(bill)).toBe(text)
})

test('a statement about a package that the client does not contain is an error', async () => {
  const stray = { id: 'CVE-2000-0001', package: 'left-pad', status: 'fixed', notes: '' } as const
  const bill = await billOfMaterials()
  expect(() => vulnerabilityStatements(bill, [stray])).toThrow('left-pad is not in the bill of materials')
})
