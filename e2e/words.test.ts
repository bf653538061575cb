import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, readDocument } from './documents.ts'

/** What people no longer read, and what they read instead. The interface keeps its words in code. */
const RETIRED: Readonly<Record<string, RegExp>> = {
  'rule, or how an approval returns': /grades?|assurance/,
  'ask an owner': /vouch\w*/,
  'waiting commands': /companions?/,
  'a command that stopped': /resum\w+/,
  'all variables': /librar(y|ies)/,
  'add, remove': /attach\w*|detach\w*/,
  'signed, signing key': /touch\w*/,
  'remembered approval': /grant\w*/,
  'old item': /legacy|inline/,
  'signing key': /approval[- ]keys?/,
  receipt: /trust-key/,
}

/** Words of another meaning. */
const ALLOWED = ['libraries loaded into programs']

/** The documents of the groups Use and Run. One of them is the help of the client. */
const documents = [...readDocument('docs/README.md').matchAll(/^## (Use|Run)\n(.*?)(?=^## )/gms)]
  .flatMap(([, , rows = '']) => [...rows.matchAll(/^\| \[.*?\]\((.+?)\)/gm)])
  .map(([, page = '']) => join('docs', page))

/** What a person reads as words: no code, flags and addresses of links. */
function proseOf(document: string): string {
  const prose = readDocument(document)
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .replaceAll(/`[^`]*`|\]\(.*?\)|--[\w-]+/g, ' ')
  return ALLOWED.reduce((text, words) => text.replaceAll(words, ''), prose)
}

function retiredIn(text: string): string[] {
  return Object.entries(RETIRED).flatMap(([instead, words]) =>
    [...text.matchAll(new RegExp(`(?<![\\w-])(${words.source})\\b`, 'gi'))].map(
      ([word]) => `${word}: write “${instead}”`,
    ),
  )
}

test('the documents of Use and Run, and the help of the client, are some', () => {
  expect(documents.length).toBeGreaterThan(15)
  expect(documents).toContain('docs/commands.md')
  expect(retiredIn('A vouch is no grant.')).toHaveLength(2)
})

test.each(['README.md', ...documents])('%s has no word that people no longer read', (document) => {
  expect(retiredIn(proseOf(document))).toEqual([])
})

/** Where a page counts or lists keys, they sign or encrypt. */
const COUNTED_KEYS = /\b[0-9]+ keys?\b|\b(the|these|no|filter) keys?\b|(?:group|list) "keys/gi

test.each(globSync('e2e/app-words/*/*.txt', { cwd: ROOT }))('no page of %s has such a word', (file) => {
  // `# keys-attach` names a state.
  const words = readDocument(file).replaceAll(/^#.*$|- code: .*$/gm, '')
  expect([...retiredIn(words), ...(words.match(COUNTED_KEYS) ?? [])]).toEqual([])
})
