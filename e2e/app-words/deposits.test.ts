import { testWordsOf } from './words-of-pages.ts'

testWordsOf('deposits', ['deposits', 'machines'])
