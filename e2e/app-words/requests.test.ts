import { testWordsOf } from './words-of-pages.ts'

testWordsOf('requests', ['approval', 'consent', 'memory', 'passkeys', 'people', 'proposals', 'returns'])
