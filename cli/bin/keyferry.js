#!/usr/bin/env node
// Plain JavaScript that every Node can parse, so that an old one can say what it needs.
import module from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 20 || !process.getBuiltinModule) {
  process.stderr.write(`keyferry needs Node.js 20.16 or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
// What the parent handed on, before anything is opened here. The listing itself has a descriptor, which is closed again.
const { existsSync, mkdirSync, readdirSync } = process.getBuiltinModule('node:fs')
const listed = process.platform === 'linux' ? readdirSync('/proc/self/fd') : []
const openAtStart = listed.filter((fd) => existsSync(`/proc/self/fd/${fd}`)).map(Number)
// Node's network code reads process.stderr, and the first read sets a pipe to non-blocking. The program that takes over
// this process would inherit that and lose output. The client never writes through process.stderr.
Object.defineProperty(process, 'stderr', { value: { isTTY: false } })
// The user's own folder: files in a shared folder could come from another user, and would be executed.
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
// Node.js makes missing folders itself, but never returns if their parent cannot contain folders, as in /proc.
if (cache && canContain(`${cache}/keyferry`)) module.enableCompileCache?.(`${cache}/keyferry`)
const { main } = await import('../src/main.ts')
await main(openAtStart)

function canContain(folder) {
  if (existsSync(folder)) return true
  const parent = folder.slice(0, folder.lastIndexOf('/'))
  if (parent === '' || !canContain(parent)) return false
  try {
    mkdirSync(folder)
  } catch {
    // Another process may have made it since.
  }
  return existsSync(folder)
}
