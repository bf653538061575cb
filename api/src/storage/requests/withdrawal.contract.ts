import { expect, test } from 'vitest'
import type { RequestActs } from '../../../test/request-acts.ts'
import type { Deciding } from '../../../test/sample-request.ts'

type WithdrawalParts = {
  stores: () => { here: RequestActs; there: RequestActs }
  /** An approval that seals at once. */
  approval: Deciding
  /** The time of every step, in epoch milliseconds. */
  atMs: number
  created: () => Promise<string>
  sealed: () => Promise<string>
  claimed: () => Promise<string>
}

/** What a withdrawal does; part of the contract of every request store.
 * @param parts `created`, `sealed` and `claimed` make a request in that state and return its id */
export function withdrawalContract({
  stores,
  approval,
  atMs: T0,
  created,
  sealed,
  claimed,
}: WithdrawalParts): void {
  test.each<[string, () => Promise<string>]>([
    ['open', created],
    ['sealed', sealed],
    ['claimed', claimed],
  ])('a %s request that is withdrawn keeps its marker, and nothing can be done with it', async (_, make) => {
    const id = await make()
    expect(await stores().there.withdraw(id, T0)).toBe('done')
    expect((await stores().here.find(id, T0))?.status).toBe('withdrawn')
    expect(await stores().here.claim(id, T0)).toEqual({ status: 'withdrawn' })
    expect(await stores().here.approve(id, approval, T0)).toBe('withdrawn')
    expect(await stores().here.deny(id, T0)).toBe('withdrawn')
    expect(await stores().here.withdraw(id, T0)).toBe('withdrawn')
    expect(await stores().here.countWrongCode(id, 5, T0)).toBe(0)
  })

  test('a release after the withdrawal gives nothing back, a removal takes the marker too', async () => {
    const id = await claimed()
    await stores().there.withdraw(id, T0)
    await stores().here.unclaim(id, T0)
    expect(await stores().there.claim(id, T0)).toEqual({ status: 'withdrawn' })
    await stores().here.remove(id)
    expect(await stores().there.find(id, T0)).toBeNull()
  })

  test('what was denied cannot be withdrawn', async () => {
    const id = await created()
    await stores().here.deny(id, T0)
    expect(await stores().there.withdraw(id, T0)).toBe('denied')
    expect((await stores().here.find(id, T0))?.status).toBe('denied')
  })

  test('of a withdrawal and an approval at once the withdrawal always wins', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await created()
      const acts = [() => stores().here.withdraw(id, T0), () => stores().there.approve(id, approval, T0)]
      if (round % 2) acts.reverse()
      const answers = await Promise.all(acts.map((act) => act()))
      expect(answers[round % 2]).toBe('done')
      expect(['done', 'withdrawn']).toContain(answers[1 - (round % 2)])
      expect(await stores().here.claim(id, T0)).toEqual({ status: 'withdrawn' })
    }
  })

  test('of a withdrawal and many claims at once, at most one claim wins, and none after', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await sealed()
      const claims = Array.from(
        { length: 6 },
        (_, n) => () => (n % 2 ? stores().here : stores().there).claim(id, T0),
      )
      const withdraw = () => stores().there.withdraw(id, T0)
      const [first, ...rest] = claims
      const [early, settled, ...late] = await Promise.all([
        first?.(),
        withdraw(),
        ...rest.map((claim) => claim()),
      ])
      expect(settled).toBe('done')
      const won = [early, ...late].filter((claim) => claim?.status === 'claimed')
      expect(won.length).toBeLessThanOrEqual(1)
      expect(await stores().here.claim(id, T0)).toEqual({ status: 'withdrawn' })
    }
  })
}
