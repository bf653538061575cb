import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { EmailText } from './email-text.tsx'
import { EntryName } from './entry-name.tsx'
import { WholeWords } from './whole-words.tsx'

/** The text with a `|` wherever a line may end within a word. */
function breaksIn<P extends object>(component: FunctionComponent<P>, props: P): string {
  return renderToStaticMarkup(createElement(component, props))
    .replaceAll('<wbr/>', '|')
    .replaceAll(/<[^>]*>/g, '')
}

test.each([
  ['prod/shop/mail', 'prod/|shop/|mail'],
  ['DATABASE_URL', 'DATABASE_|URL'],
  ['PORT', 'PORT'],
])('the name %s may break as %s', (name, broken) => {
  expect(breaksIn(EntryName, { name })).toBe(broken)
})

test.each([
  ['ask sam@example.com now', 'ask sam@|example.|com now'],
  ['version 1.2.3', 'version 1.2.3'],
])('the addresses in "%s" may break as "%s"', (text, broken) => {
  expect(breaksIn(EmailText, { text })).toBe(broken)
})

test.each([
  ['cd ~/projects/shop', 'cd ~/|projects/|shop'],
  ['npm run dev', 'npm run dev'],
])('the words of "%s" may break as "%s"', (text, broken) => {
  expect(breaksIn(WholeWords, { text })).toBe(broken)
})
