import { readFileSync } from 'node:fs'
import { EXIT, generalError, refusedAnswer, refusedError, usageError } from '../base/cli-error.ts'
import { IMPORT_ACTIONS } from '../base/import-actions.ts'
import { printable } from '../base/printable.ts'
import { orNull, parseObject, string } from '../base/shape.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { readWorkspaceId } from '../flags/library-flags.ts'
import type { DepositReceipt, Receipt } from '../receipt/receipt.ts'
import { SIGNED_RECEIPT, type SignedReceipt } from '../server/wait-answer.ts'

export const receiptCommand: Command = {
  name: 'receipt',
  operands: 'verify FILE',
  summary: 'Check a receipt that --receipt wrote, without a server',
  details: [
    'Checks the signature of a receipt of a delivery or a deposit, and prints the result and what the receipt says. The client knows the key of the server from earlier receipts. The exit code is 6 if the signature is not valid.',
  ],
  flags: [
    flagOf('--require-touch', 'Exit with code 6 unless each approver signed with a key that you trust'),
    flagOf('--key FINGERPRINT...', 'Trust only this signing key: 20 letters, as its person reads them'),
    flagOf('--workspace ID', 'Require this workspace, and trust its first keys'),
    flagOf('--trust FINGERPRINT...', 'From now on, trust this key of the workspace too'),
  ],
  examples: {
    'keyferry pull dev/app --receipt receipt.json >/dev/null && keyferry receipt verify receipt.json':
      'Save the receipt of a delivery and verify it',
  },
  run: async (words, parts) => {
    const [verb, file] = words.operands
    if (verb !== 'verify' || file === undefined) {
      throw usageError('no file given', 'For example: keyferry receipt verify receipt.json')
    }
    const { readFingerprint, requireTrustedKeys, requireWorkspace, trustKey } = await import(
      '../receipt/approval-keys.ts'
    )
    const trusted = { named: words.names('key').map(readFingerprint), workspace: readWorkspaceId(words) }
    const added = words.names('trust').map(readFingerprint)
    if (added.length > 0 && trusted.workspace === null)
      throw usageError('--trust needs --workspace', 'Give the id of the workspace.')
    if (words.has('require-touch') && trusted.named.length === 0 && trusted.workspace === null)
      throw usageError('--require-touch needs --workspace or --key', 'Give an id or a fingerprint.')
    const { server, receipt } = readFile(file)
    const { pinnedKeys } = await import('../receipt/pinned-keys.ts')
    const { deliveryReceiptIn, depositReceiptIn, verifiedFields } = await import('../receipt/receipt.ts')
    const key = pinnedKeys(server, parts).find(({ kid }) => kid === receipt.kid)
    const named = `${printable(receipt.kid, 40)} of ${printable(server, 200)}`
    if (key === undefined)
      throw refusedError(
        `this client knows no key ${named}`,
        'Check the receipt on a machine that got values from this server.',
      )
    const fields = verifiedFields(receipt, Buffer.from(key.publicKey, 'base64'))
    const { signedApprovals } = await import('../receipt/touches.ts')
    const signed = signedApprovals(receipt, fields, server)
    if (words.has('require-touch') && signed.length === 0)
      throw refusedAnswer('nobody signed the approval with a signing key')
    const isDeposit = fields['kind'] === 'deposit'
    const rows = isDeposit ? depositRows(depositReceiptIn(fields)) : deliveryRows(deliveryReceiptIn(fields))
    const keys = signed.map(({ fingerprint }) => ['Signed', `by the signing key ${fingerprint}`] as const)
    const used = signed.map(({ fingerprint }) => fingerprint)
    requireWorkspace(trusted.workspace, fields)
    for (const fingerprint of added) trustKey(fingerprint, trusted.workspace ?? '', parts)
    requireTrustedKeys(used, trusted, parts)
    const all = [['Server', printable(server, 200)], ...rows, ...keys]
    const lines = all.map(([name = '', value = '']) => `${name.padEnd(10)}${value}\n`)
    const verdict = `The receipt is valid: signed by the key ${named}, which this client has stored.\n`
    parts.stdout.write([verdict, ...lines].join(''))
    return EXIT.ok
  },
}

type ReceiptRows = readonly (readonly [name: string, value: string])[]

function deliveryRows({ approvers, approvedAt, bundle, keys, releasedBy, requestId }: Receipt): ReceiptRows {
  return [
    ['Request', requestId],
    ['Approved', `${approvedAt} by ${approvers.join(' and ')}`],
    ['Bundle', bundle],
    ['Keys', keys.join(', ')],
    ['Returned', releasedBy === null ? 'not through the terminal' : `by ${releasedBy}`],
  ]
}

function depositRows(receipt: DepositReceipt): ReceiptRows {
  const { approvers, requestId, storedAt, workspace } = receipt
  return [
    ['Request', requestId],
    ['Stored', `${storedAt}, approved by ${approvers.join(' and ')}`],
    ...[receipt, ...receipt.also].flatMap(({ bundle, variables }) => [
      ['Bundle', `${bundle} in workspace ${workspace.name}`] as const,
      ...changeRows(variables),
    ]),
  ]
}

function changeRows(variables: DepositReceipt['variables']): ReceiptRows {
  const changes = Object.entries(IMPORT_ACTIONS).map(([action, { sign, word }]) => {
    const names = variables
      .filter((each) => each.action === action)
      .map(({ name }) => name)
      .join(', ')
    return { isWrite: sign !== '=', row: [`${word.charAt(0).toUpperCase()}${word.slice(1)}`, names] as const }
  })
  const writesFirst = changes.toSorted((a, b) => Number(b.isWrite) - Number(a.isWrite))
  return writesFirst.map(({ row }) => row).filter(([, names]) => names !== '')
}

function readFile(path: string): { readonly server: string; readonly receipt: SignedReceipt } {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch {
    throw generalError(`cannot read ${printable(path)}`, 'Check the name of the file.')
  }
  const parsed = parseObject(content)
  const receipt = orNull(SIGNED_RECEIPT)(parsed)
  const server = orNull(string)(parsed?.['server'])
  if (receipt !== null && server !== null && URL.canParse(server)) return { server, receipt }
  throw usageError(`${printable(path)} is not a receipt`, 'Give a file that --receipt wrote.')
}
