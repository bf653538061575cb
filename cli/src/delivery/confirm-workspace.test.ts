import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { type ExpectedWorkspace, forgetWorkspace } from '../project/workspace-pins.ts'
import type { Notice } from '../terminal/waiting-view.ts'
import {
  canAsk,
  keepWorkspace,
  requestedWorkspace,
  requireAskable,
  requireExpected,
  requireRequested,
} from './confirm-workspace.ts'

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

test('the code of the page, typed too early, is not taken as an answer', async () => {
  const answers = ['482 913', '482913', 'y']
  const approved = { workspace: { id: THEIRS, name: 'Acme' }, approvers: ['kim'] }
  const notices: Notice[] = []
  const ask = async (notice: Notice) => {
    notices.push(notice)
    return answers.shift() ?? null
  }
  expect(await requireExpected(approved, UNKNOWN, { ask, purpose: 'stored' })).toBe(true)
  expect(answers).toEqual([])
  const again = 'answer y or n first, then type the code'
  expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('approved by kim'), again, again])
  expect(notices.every(({ isQuestion }) => isQuestion)).toBe(true)
})

const ACME = { workspace: { id: THEIRS, name: 'Acme' }, approvers: ['kim', 'sam'] }
const SAID = `approved by kim and sam for the workspace ${THEIRS}, named "Acme"`

async function required(
  expected: Partial<ExpectedWorkspace>,
  answer: string | null,
  purpose: 'stored' | 'used',
) {
  const questions: string[] = []
  const ask = async (_notice: object, question: string) => {
    questions.push(question)
    return answer
  }
  return {
    isConfirmed: await requireExpected(ACME, { ...UNKNOWN, ...expected }, { ask, purpose }),
    questions,
  }
}

test('the client asks about a workspace unless it knows its id', async () => {
  expect(await required({ text: THEIRS, knownId: THEIRS }, null, 'used')).toEqual({
    isConfirmed: false,
    questions: [],
  })
  expect(await required({ text: 'Acme' }, ' YES ', 'used')).toEqual({
    isConfirmed: true,
    questions: ['  Use this workspace? [y/N] '],
  })
  expect((await required({}, 'y', 'stored')).questions).toEqual(['  Store in this workspace? [y/N] '])
})

test.each([
  [{ text: OWN, knownId: OWN }, `${SAID}, but the command is for ${OWN}`],
  [{ text: 'Other' }, `${SAID}, but the command is for Other`],
])('an approval for a workspace other than %j is refused', async (expected, message) => {
  const next =
    'Nothing was used. Run the command again. If you did not approve it, keep the link to yourself.'
  const more = ' If you mean another workspace from now on, run keyferry forget --workspace.'
  await expect(required(expected, 'y', 'used')).rejects.toMatchObject({
    exitCode: EXIT.refused,
    message,
    next: next + more,
  })
  await expect(required({ ...expected, isFlag: true }, 'y', 'used')).rejects.toMatchObject({ next })
})

test.each(['', 'n', 'yep', null])('the answer %j does not confirm the workspace', async (answer) => {
  await expect(required({}, answer, 'stored')).rejects.toMatchObject({
    message: `not confirmed: ${SAID}`,
    next: 'Nothing was stored. To allow one workspace only, add --workspace ID.',
  })
})

test('an unknown workspace can be confirmed only at a terminal', () => {
  const parts = stage({}, '/')
  const terminal = {
    ...parts,
    stderr: { ...parts.stderr, isTerminal: true },
    keyboard: { ...parts.keyboard, isThere: () => true },
  }
  expect([canAsk(terminal), canAsk({ ...terminal, view: 'json' }), canAsk(parts)]).toEqual([
    true,
    false,
    false,
  ])
  requireAskable(UNKNOWN, terminal)
  requireAskable({ ...UNKNOWN, knownId: OWN }, parts)
  expect(() => requireAskable(UNKNOWN, parts)).toThrow(
    expect.objectContaining({
      exitCode: EXIT.usage,
      message: 'the workspace is not confirmed for this folder, and there is no terminal to ask',
      next: 'Add --workspace ID. The pages of a workspace have its id in their address: https://keyferry.example.com/w/ID',
    }),
  )
})

test('a workspace is remembered after a yes, or if a receipt confirms the id in --workspace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-confirmed-'))
  const parts = stage({ XDG_STATE_HOME: folder }, '/')
  const kept = (expected: Partial<ExpectedWorkspace>, isConfirmed: boolean, hasReceipt: boolean) => {
    keepWorkspace(ACME.workspace, { ...UNKNOWN, ...expected }, { isConfirmed, hasReceipt, parts })
    return forgetWorkspace(PLACE, parts)?.name ?? null
  }
  const named = { isFlag: true, knownId: THEIRS }
  expect([kept({}, true, false), kept(named, false, true)]).toEqual(['Acme', 'Acme'])
  expect(kept({}, false, true)).toBeNull()
  expect(kept(named, false, false)).toBeNull()
  expect(kept({ ...named, isFlag: false }, false, true)).toBeNull()
  expect(kept({ ...named, knownId: OWN }, false, true)).toBeNull()
  rmSync(folder, { recursive: true })
})

const noAnswer = async () => null

test('if a workspace is requested, the values must come from it', async () => {
  const parts = stage({}, '/')
  const from = { workspace: null, approvers: [] }
  await requireRequested(null, from, { ask: noAnswer, parts })
  await expect(requireRequested(UNKNOWN, from, { ask: noAnswer, parts })).rejects.toMatchObject({
    message: 'https://keyferry.example.com does not say which workspace this comes from',
    next: 'Nothing was used. Update the server, or omit the workspace.',
  })
})

test('the client knows the id of a workspace from the command, or from a local server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-requested-'))
  const named = async (workspace: string | null, server: string) => {
    const bodies: Record<string, object> = {
      '/session': { auth_mode: 'local' },
      '/api/v1/tenants': [{ id: THEIRS, name: 'Acme' }],
    }
    const exchange = async ({ url }: { url: string }) => answered(bodies[new URL(url).pathname] ?? '')
    const parts = { ...stage({ XDG_STATE_HOME: folder }, '/'), exchange }
    const options = { workspace, isWorkspaceFlag: false, server, folder: '/' }
    const found = await requestedWorkspace(options as Parameters<typeof requestedWorkspace>[0], parts)
    return found && [found.text, found.knownId]
  }
  const own = 'http://127.0.0.1:5393'
  expect(await named(null, own)).toBeNull()
  expect(await named(OWN.toUpperCase(), PLACE.server)).toEqual([OWN, OWN])
  expect(await named('Acme', own)).toEqual(['Acme', THEIRS])
  await expect(named('Acme', PLACE.server)).rejects.toMatchObject({ exitCode: EXIT.usage })
  rmSync(folder, { recursive: true })
})
