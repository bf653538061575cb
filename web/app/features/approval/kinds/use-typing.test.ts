import { createElement } from 'react'
import { expect, test } from 'vitest'
import { onPage, wordsOf } from '../../../test/static-words.ts'
import { type GivenValue, useTyping } from './use-typing.ts'

onPage()

/** What is given after a person has typed these values, where the server lets them type PORT and HOST. */
function given(typed: Readonly<Record<string, string>>): readonly GivenValue[] {
  let last: readonly GivenValue[] = []
  const offered = { names: ['PORT', 'HOST'].map((name) => ({ name, known: true })), keep: null }
  const Page = () => {
    // What the hook reads of a bundle and its rules.
    const typing = useTyping({
      bundle: { id: 'b1', name: 'dev/app' },
      rules: { may_type: offered },
      host: 'ci',
      workspaceId: 'w1',
      onStored: () => undefined,
    } as never)
    last = typing.given
    return createElement('input', { onChange: typing.typing?.onChange as never })
  }
  const acts = Object.entries(typed).map(
    ([name, value]) =>
      ['onChange', undefined, name, { name, value, is_secret: true, propose: false }] as const,
  )
  wordsOf(createElement(Page), { acts: { Page: acts } })
  return last
}

test('given is what the person typed and the server lets them type', () => {
  expect(given({ PORT: '80', HOST: '', OTHER: 'x' })).toEqual([
    { name: 'PORT', value: '80', is_secret: true, propose: false },
  ])
})
