#!/usr/bin/env node
// Plain JavaScript, so that an old Node can run it and print what it needs.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// In a clone, `npx keyferry-server` may start this on an older Node than the one that `npm ci` installs.
const launcher = fileURLToPath(new URL('../../launch.cjs', import.meta.url))
const major = Number(process.versions.node.split('.')[0])
if (major >= 24) await start()
else if (existsSync(launcher)) createRequire(import.meta.url)(launcher)(process.argv.slice(1))
else {
  process.stderr.write(`keyferry-server needs Node.js 24 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}

async function start() {
  // Use the account's own folder: other users could put code into a shared cache, and it would run here.
  const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
  const { enableCompileCache } = await import('node:module')
  if (cache) enableCompileCache(`${cache}/keyferry`)
  // What is built starts in half the time.
  const isBuilt = existsSync(new URL('../dist/main.js', import.meta.url))
  const { main } = await import(isBuilt ? '../dist/main.js' : '../src/main.ts')
  await main(process.argv.slice(2))
}
