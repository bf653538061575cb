import { expect, test } from 'vitest'
import vectors from '../../vectors/audit-log.json' with { type: 'json' }
import { auditKeyOf } from './audit-key.ts'
import { openNote, signNote, verifierKey } from './signed-note.ts'

const key = auditKeyOf(Buffer.from(vectors.seed, 'hex'))
const { text, name, vkey, signed } = vectors.note

test('a signed note and its key are what others compute', () => {
  expect(signNote(text, { ...key, name })).toBe(signed)
  expect(verifierKey({ ...key, name })).toBe(vkey)
  expect(openNote(signed, vkey)).toBe(text)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ note }) => {
  expect(openNote(note, vkey)).toBeNull()
})

test('a text without an empty line is no note, and a changed key is no key', () => {
  expect(() => openNote('text\n', vkey)).toThrow(expect.objectContaining({ code: 'bad_note' }))
  for (const bad of ['', 'a+b', vkey.replace('+', ' '), `${vkey.slice(0, -4)}AAAA`]) {
    expect(() => openNote(signed, bad), bad).toThrow(expect.objectContaining({ code: 'bad_note' }))
  }
  expect(() => signNote('text', { ...key, name })).toThrow(expect.objectContaining({ code: 'bad_note' }))
  expect(() => verifierKey({ ...key, name: 'a b' })).toThrow(expect.objectContaining({ code: 'bad_note' }))
})
