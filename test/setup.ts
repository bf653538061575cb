import { DatabaseSync } from 'node:sqlite'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import { configureGlobal } from 'fast-check'
import { expect } from 'vitest'
import { TIME_LIMIT_FACTOR } from '../plumbing/test/until.ts'

const RUNS = 200

// A property that starts programs or calls a server says itself how often it runs. A busy machine tries no fewer cases.
configureGlobal({ numRuns: Number(process.env['PROPERTY_RUNS'] ?? RUNS) })

multiplyTimeLimits(Number(TIME_LIMIT_FACTOR))

// A pattern in an expected object matches a text. Without this, `toMatchObject` accepts every text for a pattern.
expect.addEqualityTesters([
  (actual: unknown, expected: unknown) =>
    expected instanceof RegExp && typeof actual === 'string' ? expected.test(actual) : undefined,
])

// In the process of a test, SQLite returns unordered rows in reverse: a query that needs an order and has none fails.
// This file runs once for each test file.
const exec: DatabaseSync['exec'] = Reflect.get(DatabaseSync.prototype, 'exec')
const known = new WeakSet<DatabaseSync>()
if (exec.name === 'exec')
  DatabaseSync.prototype.exec = function execBackwards(sql: string) {
    if (!known.has(this)) exec.call(this, 'pragma reverse_unordered_selects = on')
    known.add(this)
    exec.call(this, sql)
  }
