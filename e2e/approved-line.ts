import { spawn } from 'node:child_process'
import { requestIdOf } from '@keyferry/contract/approval-link'
import { createClient } from '@keyferry/contract/client'

type Place = {
  /** Where the line runs; also the home of its user. */
  readonly folder: string
  /** The address of a server without accounts. */
  readonly server: string
  readonly PATH: string
}

/** Run a line in a shell, and approve what its client requests. */
export async function runApproved(
  line: string,
  { folder, server, PATH }: Place,
): Promise<{ status: number | null; output: string }> {
  const shell = spawn('sh', ['-c', line], {
    cwd: folder,
    env: { PATH, HOME: folder, CI: '1', KEYFERRY_SERVER: server },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const approvals: Promise<void>[] = []
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const short = /\/a\/([\w-]{22})\s/.exec(output)?.[1]
      if (short !== undefined && approvals.length === 0)
        approvals.push(approveAll(server, requestIdOf(short) ?? ''))
    })
  }
  const status = await new Promise<number | null>((resolve) => shell.once('close', resolve))
  await Promise.all(approvals)
  return { status, output }
}

async function approveAll(server: string, request_id: string): Promise<void> {
  const call = createClient(server)
  const [bundle] = await call('GET', '/api/v1/requests/{request_id}/bundles', { params: { request_id } })
  const params = { request_id, bundle_id: bundle?.id ?? '' }
  const { id, items } = await call('GET', '/api/v1/requests/{request_id}/bundles/{bundle_id}', { params })
  const body = { bundle_id: id, include_keys: items.map(({ key }) => key) }
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', { params: { request_id }, body })
}
