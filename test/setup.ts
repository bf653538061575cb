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

// SQLite gives rows without an order backwards here, so that a test notices an order that is missing.
const exec: DatabaseSync['exec'] = Reflect.get(DatabaseSync.prototype, 'exec')
if (exec.name === 'exec')
  DatabaseSync.prototype.exec = function execBackwards(sql: string) {
    exec.call(this, 'pragma reverse_unordered_selects = on')
    exec.call(this, sql)
  }
