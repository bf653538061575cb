import { testWordsOf } from './words-of-pages.ts'

testWordsOf('library', ['library', 'empty', 'environments', 'names', 'webhooks', 'workspaces'])
