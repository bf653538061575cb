import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { optimistic } from './use-call.ts'

const NUMBERS = ['numbers']

function adding(send: (added: number) => Promise<void>) {
  const client = new QueryClient({ defaultOptions: { mutations: { retry: false } } })
  client.setQueryData(NUMBERS, [1])
  const options = optimistic<number[], number>(client, NUMBERS, (numbers, added) => [...numbers, added])
  const add = (added: number) => new MutationObserver(client, { mutationFn: send, ...options }).mutate(added)
  return { add, shown: () => client.getQueryData(NUMBERS) }
}

test('a change shows at once and stays when the server makes it', async () => {
  const { add, shown } = adding(async () => undefined)
  const made = add(2)
  await expect.poll(shown).toEqual([1, 2])
  await made
  expect(shown()).toEqual([1, 2])
})

test('a change that the server refuses is taken back', async () => {
  const { add, shown } = adding(async () => {
    throw new Error('refused')
  })
  await expect(add(2)).rejects.toThrow('refused')
  expect(shown()).toEqual([1])
})

test('changes of one answer are sent one after another', async () => {
  const log: string[] = []
  const { add, shown } = adding(async (added) => {
    log.push(`sent ${added}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
    log.push(`made ${added}`)
  })
  await Promise.all([add(2), add(3)])
  expect(log).toEqual(['sent 2', 'made 2', 'sent 3', 'made 3'])
  expect(shown()).toEqual([1, 2, 3])
})
