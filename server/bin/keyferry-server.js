#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old one is told what it needs.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`keyferry-server needs Node.js 24 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
enableCompileCache()
const { main } = await import('../src/main.ts')
await main(process.argv.slice(2))
