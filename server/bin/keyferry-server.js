#!/usr/bin/env -S node --max-semi-space-size=4
// The space for young objects is kept small: left alone it grows to megabytes at every start and gives nothing back, and
// a larger one made calls no faster. Plain JavaScript that any Node can parse, so that an old one is told what it needs.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`keyferry-server needs Node.js 24 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
enableCompileCache()
const { main } = await import('../src/main.ts')
await main(process.argv.slice(2))
