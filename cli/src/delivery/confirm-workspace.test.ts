import { expect, test } from 'vitest'
import type { ExpectedWorkspace } from '../project/workspace-pins.ts'
import { requireExpected } from './confirm-workspace.ts'

const OWN = '01a2189d-f0c5-770f-8c17-c433e70b4337'
const THEIRS = '01a2189d-f0e9-7899-91fe-9da1d1477336'
const PLACE = { folder: '/home/sam/app', server: 'https://keyferry.example.com' }
const UNKNOWN: ExpectedWorkspace = { text: null, isFlag: false, place: PLACE, knownId: null }

async function asked(name: string): Promise<string> {
  let text = ''
  const ask = async (notice: { text: string }) => {
    text = notice.text
    return 'y'
  }
  await requireExpected({ workspace: { id: THEIRS, name }, approvers: ['kim'] }, UNKNOWN, {
    ask,
    purpose: 'stored',
  })
  return text
}

test('the name of a workspace cannot show another id in the place of its own', async () => {
  const text = await asked(`Acme" (${OWN}). Confirmed before by "sam`)
  expect(text).toMatch(new RegExp(`^approved by kim for the workspace ${THEIRS},`))
  expect(text.indexOf(THEIRS)).toBeLessThan(text.indexOf(OWN))
})

test('the code of the page, typed too early, is no answer', async () => {
  const answers = ['482 913', '482913', 'y']
  const approved = { workspace: { id: THEIRS, name: 'Acme' }, approvers: ['kim'] }
  const ask = async () => answers.shift() ?? null
  expect(await requireExpected(approved, UNKNOWN, { ask, purpose: 'stored' })).toBe(true)
  expect(answers).toEqual([])
})
