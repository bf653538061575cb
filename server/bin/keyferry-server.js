#!/usr/bin/env -S node --max-semi-space-size=4
// The space for young objects is kept small: left alone it grows to megabytes at every start and gives nothing back, and
// a larger one made calls no faster. Plain JavaScript that any Node can parse, so that an old one is told what it needs.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`keyferry-server needs Node.js 24 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
// A folder of the account's own: what stands in a shared one could have been put there by anybody, and would be run.
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
const { enableCompileCache } = await import('node:module')
if (cache) enableCompileCache(`${cache}/keyferry`)
const { main } = await import('../src/main.ts')
await main(process.argv.slice(2))
