import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, readDocument } from './documents.ts'

/** The words of Keyferry. */
const GLOSSARY = [...readDocument('docs/words.md').matchAll(/^- \*\*(.+?)\*\*: /gm)].map(
  ([, word = '']) => word,
)

/** What a reader knows already: plain English, and names of the field. */
const PLAIN = readDocument('e2e/plain-words.txt').trim().split('\n')

/** What only the samples of the pages say: names of people, bundles and machines, values and commands. */
const SAMPLES = [
  /\b(local|kim|sam|lee|acme|ci|deploy-web|old-runner|billing-service|shop-frontend|shop|app|worker)\b/gi,
  /\((docker|node|psql|systemctl)\)|^(npm|bash) .*|(?<=^LOG_LEVEL in dev: ).*? 0\.1|Rotated every quarter/g,
]
const withoutSamples = (label: string) => SAMPLES.reduce((left, sample) => left.replaceAll(sample, ''), label)

const pages = globSync('e2e/app-words/*/*.txt', { cwd: ROOT }).map(readDocument)

/** The documents of the groups Use and Run. One of them is the help of the client. */
const documents = [...readDocument('docs/README.md').matchAll(/^## (Use|Run)\n(.*?)(?=^## )/gms)]
  .flatMap(([, , rows = '']) => [...rows.matchAll(/^\| \[.*?\]\((.+?)\)/gm)])
  .map(([, page = '']) => join('docs', page))
  .filter((page) => page !== 'docs/words.md')
  .map((page) => readDocument(page).replaceAll(/^ *```.*?^ *```/gms, ''))

const LABELLED =
  'heading|link|tab|button|columnheader|rowheader|textbox|searchbox|spinbutton|combobox|listbox|checkbox|radio|' +
  'menuitem|menuitemradio|menu|dialog|region|group|navigation|table|term'
const LABEL = new RegExp(`^ *- '?(?:${LABELLED}) "((?:[^"\\\\]|\\\\.)*)"`, 'gm')

const found = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, label = '']) => label))

/** The titles, headings and labels of controls of the pages; the headings of the documents; what the help says of each
 * command in one line. */
const labels = new Set([
  ...found(pages, LABEL).map(withoutSamples),
  ...found(documents, /^#+ (.*)$/gm),
  ...found([readDocument('docs/commands.md')], /^\| \[[\w-]+\]\(#[\w-]+\) \| (.*) \|$/gm),
])

/** One form of a word for its plural, the forms of a verb and its noun; it need not be a word. */
const stemOf = (word: string) =>
  word
    .replace(/(?<=\w\w)(ies|ied)$/, 'y')
    .replace(/(?<=\w\w\w)(ing|ed|es|s|al)$/, '')
    .replace(/(?<=\w\w)e$/, '')
    .replace(/([bdgmnprt])\1$/, '$1')

/** A word of the glossary, also in the plural. */
const inText = (word: string) => new RegExp(`\\b${word}s?\\b`, 'g')

/** Names and code: what has other signs than letters, or capitals only. */
const IS_NAME = /[\d/_@=*${}|`]|\w[.:]\w|^\W*[A-Z]{2,}\W*$/

/** The words of a label that are neither names nor of the glossary. */
function otherWords(label: string): string[] {
  const words = label.split(/\s+/).filter((word) => !IS_NAME.test(word))
  const text = words
    .join(' ')
    .toLowerCase()
    .replaceAll(/['’]s\b/g, '')
  const rest = GLOSSARY.reduce((left, word) => left.replaceAll(inText(word), ''), text)
  const known = new Set(GLOSSARY.map(stemOf))
  return (rest.match(/[a-z]+(?:-[a-z]+)*/g) ?? []).filter((word) => !known.has(stemOf(word)))
}

test('the glossary has at most thirty words, and each is in use', () => {
  expect(GLOSSARY.length).toBeGreaterThan(20)
  expect(GLOSSARY.length, 'people learn at most thirty words').toBeLessThanOrEqual(30)
  const all = [...pages, ...documents].join('\n').toLowerCase()
  expect(GLOSSARY.filter((word) => !inText(word).test(all))).toEqual([])
})

test('titles, headings, labels and the help are made of words of the glossary, and of plain English', () => {
  expect(labels.size).toBeGreaterThan(500)
  const plain = new Set(PLAIN.map(stemOf))
  const unknown = [...labels].flatMap((label) =>
    otherWords(label)
      .filter((word) => !plain.has(stemOf(word)))
      .map((word) => `${word}: ${label}`),
  )
  expect(
    unknown,
    'Use a word of docs/words.md. If everyone knows the word as you use it, add it to e2e/plain-words.txt',
  ).toEqual([])
})

test('the list of plain English is sorted, and has no word that is not in use', () => {
  const used = new Set([...labels].flatMap(otherWords).map(stemOf))
  expect(PLAIN).toEqual([...new Set(PLAIN)].toSorted())
  expect(
    PLAIN.filter((word) => !used.has(stemOf(word))),
    'Remove these words',
  ).toEqual([])
})
