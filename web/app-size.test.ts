import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const DIST = join(import.meta.dirname, 'app/dist')
const KB = 1_000

const read = (path: string) => readFileSync(join(DIST, path), 'utf8')

/** The scripts that a page loads before it can show anything: those it names, and their static imports. */
function initialScripts(page: string): Set<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    const imports = read(path).matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)
    for (const [, name] of imports) visit(`assets/${name}`)
  }
  for (const [, path = ''] of read(page).matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/g)) visit(path)
  return found
}

function gzippedBytes(scripts: Iterable<string>): number {
  return [...scripts].reduce((sum, path) => sum + gzipSync(read(path), { level: 9 }).length, 0)
}

test.each([
  ['approve.html', 44 * KB],
  ['arrive.html', 5 * KB],
  ['index.html', 67 * KB],
])('%s loads at most %i bytes of gzipped JavaScript at first', (page, most) => {
  const scripts = initialScripts(page)
  expect(scripts.size).toBeGreaterThan(0)
  expect(gzippedBytes(scripts)).toBeLessThanOrEqual(most)
})

test.each(['approve.html', 'arrive.html', 'index.html'])(
  '%s contains nothing that the content security policy stops',
  (page) => {
    const html = read(page)
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/)
    for (const script of initialScripts(page)) expect(read(script)).not.toMatch(/\beval\(|new Function\(/)
  },
)
