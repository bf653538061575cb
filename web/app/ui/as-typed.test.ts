import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { CheckCode } from '../features/approval/check-code.tsx'
import { Palette } from '../features/palette/palette.tsx'
import { of, onPage } from '../test/static-words.ts'
import { Combobox } from './combobox.tsx'
import { SearchField } from './search-field.tsx'
import { TextArea, TextField } from './text-field.tsx'

onPage()

const nothing = () => undefined
const CODE = { typed: '', onType: nothing, problem: null, inputRef: { current: null } }

// Some browsers send what they check to a service.
test.each([
  ['a check code', of(CheckCode, { code: 'WDJB-MJHT', isSecond: false, nextStep: null, field: CODE })],
  ['a search', of(SearchField, { label: 'Filter', value: '', onChange: nothing })],
  ['a name of a list', of(Combobox, { label: 'Bundle', options: [], chosenId: null, onChoose: nothing })],
  ['a place to go to', of(QueryClientProvider, { client: new QueryClient(), children: of(Palette) })],
  ['a line of code', of(TextField, { label: 'Name', code: 'normal' })],
  ['code', of(TextArea, { label: 'File', code: 'small', value: '' })],
])('a browser neither completes %s nor checks its spelling', (_, field) => {
  const html = renderToStaticMarkup(field)
  expect(html).toContain('spellCheck="false"')
  expect(html).toContain('autoComplete="off"')
})
