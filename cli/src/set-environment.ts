import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseObject } from './base/shape.ts'
import { CREDENTIAL_VARIABLES, LOADED_MARK } from './program/program-environment.ts'

/*
 * `import 'keyferry/config'`: sets process.env before the next import runs, in dotenv's place. An import can only wait
 * for the server if it blocks, so the client runs as a child process. The mark keeps worker threads and child
 * processes, which inherit the variables, from asking again.
 */

const MAX_BYTES = 64 * 1024 * 1024

const WHY: Readonly<Record<number, string>> = {
  2: 'the settings cannot be used',
  3: 'the request was denied, or the machine was refused',
  4: 'the request was not approved in time',
  5: 'the server does not answer',
  130: 'it was interrupted',
}

if (process.env[LOADED_MARK] === undefined) load()

function load(): void {
  const values = fetchValues()
  for (const [name, value] of Object.entries(values)) process.env[name] ??= value
  for (const name of CREDENTIAL_VARIABLES) delete process.env[name]
  process.env[LOADED_MARK] = '1'
}

function fetchValues(): Record<string, string> {
  // Options of this program, such as --import keyferry/config or --inspect, are none of the client's.
  const env = { ...process.env, NODE_OPTIONS: '', [LOADED_MARK]: '1' }
  const { status, stdout, error } = spawnSync(
    process.execPath,
    [join(__dirname, '../bin/keyferry.js'), 'pull', '--format', 'json'],
    { env, stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8', maxBuffer: MAX_BYTES },
  )
  if (error !== undefined) throw failure(`the client cannot be started: ${error.message}`)
  if (status !== 0) throw failure(WHY[status ?? 130] ?? `the client ended with code ${status}`)
  const values = parseObject(stdout)
  if (values === null) throw failure('the client printed no values')
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

function failure(why: string): Error {
  const what = `keyferry/config could not load the values: ${why}.`
  return new Error(
    `${what} The client's message above says more. To start without Keyferry, set the variables yourself and ${LOADED_MARK}=1.`,
  )
}
