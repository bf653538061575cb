import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { billOfMaterials } from './bill-of-materials.ts'
import { CHECKSUMS, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { runtimeProgram } from './runtime.ts'
import { BUN_VERSION } from './targets.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-release-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('the same sources give the same package', () => {
  const packed = ['first', 'second'].map((name) => {
    packClient(join(folder, name))
    return hash('sha256', readFileSync(join(folder, name, PACKAGE_FILE)))
  })
  expect(packed[0]).toBe(packed[1])
  expect(readdirSync(join(folder, 'first'))).toEqual([PACKAGE_FILE])
})

test('the package does not depend on the umask of its builder', () => {
  const packed = [0o022, 0o077].map((mask) => {
    const before = process.umask(mask)
    try {
      packClient(join(folder, `umask-${mask}`))
    } finally {
      process.umask(before)
    }
    return hash('sha256', readFileSync(join(folder, `umask-${mask}`, PACKAGE_FILE)))
  })
  expect(new Set(packed).size).toBe(1)
})

test('the bill of materials names what is bundled, nothing else, and is always the same', async () => {
  const text = await billOfMaterials()
  const { bomFormat, components, serialNumber } = JSON.parse(text)
  expect(bomFormat).toBe('CycloneDX')
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  const names = components.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['@noble/ciphers', '@noble/hashes', 'cross-spawn', 'uqr', 'bun']),
  )
  expect(names).not.toContain('esbuild')
  expect(components.at(-1)).toMatchObject({ name: 'bun', version: BUN_VERSION })
  expect(await billOfMaterials()).toBe(text)
})

test('the checksums list the files of a release and no others', () => {
  writeFileSync(join(folder, 'b'), 'beta')
  writeFileSync(join(folder, 'a'), 'alpha')
  writeFileSync(join(folder, 'c'), 'not of it')
  writeChecksums(folder, ['b', 'a'])
  expect(readFileSync(join(folder, CHECKSUMS), 'utf8')).toBe(
    `${hash('sha256', 'alpha')}  a\n${hash('sha256', 'beta')}  b\n`,
  )
})

test('a runtime that is not the expected one is not used', () => {
  const { PATH } = process.env
  const bin = mkdtempSync(join(folder, 'bin-'))
  const fake =
    '#!/bin/sh\nfor word; do case $word in /*) echo changed > "$word/bun.tgz";; esac; done; echo bun.tgz\n'
  writeFileSync(join(bin, 'npm'), fake, { mode: 0o755 })
  process.env['PATH'] = `${bin}:${PATH}`
  try {
    const place = join(folder, 'runtimes')
    expect(() => runtimeProgram('linux-x64', place)).toThrow('has the integrity')
    expect(readdirSync(place)).toEqual([])
  } finally {
    process.env['PATH'] = PATH
  }
})
