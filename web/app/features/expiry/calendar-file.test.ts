import { expect, test } from 'vitest'
import type { DatedKey } from '../../lib/data/expiry.ts'
import { calendarFile } from './calendar-file.ts'

const KEY: DatedKey = {
  id: 'k1',
  name: 'PROD_WEB_STRIPE',
  value: '*****',
  is_secret: true,
  is_template: false,
  template_parts: [],
  description: '',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  created_by: 'u',
  updated_by: 'u',
  updated_by_name: 'sam',
  used_in_bundles: 1,
  version: 1,
  value_set_at: '2026-01-01T00:00:00.000Z',
  value_set_by: { kind: 'user', id: 'u', name: 'sam' },
  value_changed_elsewhere_at: null,
  expires_at: '2026-12-05T10:00:00.000Z',
  rotate_after_days: null,
  due: 'expiring',
  due_at: '2026-12-05T10:00:00.000Z',
  may_change: true,
  may_show: true,
  bundles: [{ id: 'b', name: 'prod/web', as: 'STRIPE_SECRET_KEY' }],
}
const OPTIONS = {
  now: new Date('2026-11-26T12:00:00.000Z'),
  pageOf: ({ id }: DatedKey) => `https://k.example/keys/${id}`,
}
const calendar = (...keys: DatedKey[]) => calendarFile(keys, OPTIONS)

test('each key is an event of the day on which it is due, without its value', () => {
  expect(calendar(KEY).split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Keyferry//Expiry//EN',
    'BEGIN:VEVENT',
    'UID:k1@keyferry',
    'DTSTAMP:20261126T120000Z',
    'DTSTART;VALUE=DATE:20261205',
    'SUMMARY:STRIPE_SECRET_KEY expires (prod/web)',
    'URL:https://k.example/keys/k1',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

test('a value that is due for rotation says so, and commas are escaped', () => {
  const bundles = ['prod/web', 'prod/api'].map((name) => ({ id: name, name, as: 'A' }))
  const text = calendar({ ...KEY, expires_at: null, rotate_after_days: 90, bundles })
  expect(text).toContain(String.raw`SUMMARY:A is due for rotation (prod/web\, prod/api)`)
})

test('no line has more than 75 bytes, and the parts of one make the whole', () => {
  const bundles = Array.from({ length: 20 }, (_, at) => ({
    id: `${at}`,
    name: `prod/service-${at}`,
    as: 'A',
  }))
  const text = calendar({ ...KEY, bundles })
  const lines = text.split('\r\n')
  expect(lines.every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
  expect(text.replaceAll('\r\n ', '')).toContain(String.raw`prod/service-18\, prod/service-19)`)
})
