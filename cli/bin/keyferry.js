#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old one is told what it needs.
import module from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(`keyferry needs Node.js 24 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
// Node's network code looks at process.stderr, and the first look sets a pipe to non-blocking: the program that takes
// over this process would inherit that and lose output. Nothing here writes through it.
Object.defineProperty(process, 'stderr', { value: { isTTY: false } })
// A folder of the user's own: what stands in a shared one could have been put there by anybody, and would be run.
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
if (cache) module.enableCompileCache(`${cache}/keyferry`)
await import('../src/main.ts')
