import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasPrograms, skipOrFail } from '../plumbing/test/programs.ts'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { SETTINGS } from '../server/src/settings/setting-table.ts'
import { ROOT, readDocument } from './documents.ts'

const SECTION = readDocument('docs/scaling.md')
  .split(/^## /m)
  .find((text) => text.startsWith('Several nodes without containers'))

type Block = { machines: readonly string[]; script: string }

/** The section's blocks, in their order. The comment of its first line names the machines of a block. */
const BLOCKS: readonly Block[] = [...(SECTION ?? '').matchAll(/^```sh\n(# on ([^\n]*)\n.*?)^```/gms)].map(
  ([, script = '', where = '']) => ({
    machines: where.startsWith('your computer') ? ['desk'] : (where.match(/data|node-\d|proxy/g) ?? []),
    script,
  }),
)

test('every block is a shell script for known machines', () => {
  expect(BLOCKS.length).toBe(11)
  for (const { machines, script } of BLOCKS) {
    expect(machines).not.toEqual([])
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('')
  }
})

test('the example files set nothing that the program does not know, and Redis has the documented account', () => {
  const names = globSync('deploy/nodes/*.env', { cwd: ROOT }).flatMap((file) =>
    [...readDocument(file).matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name),
  )
  expect(names).toContain('API_URL')
  expect(names.filter((name) => !(name in SETTINGS))).toEqual(['NODE_EXTRA_CA_CERTS'])
  const account = /^user keyferry .*$/m.exec(readDocument('docs/scaling.md'))?.[0]
  expect(readDocument('deploy/nodes/redis.conf')).toContain(
    account?.replace('>a-password', '>REDIS_PASSWORD'),
  )
})

const PROGRAMS = ['ip', 'unshare', 'nsenter', 'psql', 'redis-server', 'nginx', 'openssl', 'curl']

function canHaveMachines(): boolean {
  if (process.getuid?.() === 0 && spawnSync('unshare', ['-mnp', '--fork', 'true']).status === 0)
    return hasPrograms(...PROGRAMS)
  skipOrFail('several-nodes: root may not make namespaces here, so the blocks were only parsed')
  return false
}

const VISIT =
  'NODE_EXTRA_CA_CERTS=/root/keyferry-files/ca.pem node /opt/keyferry/e2e/several-nodes/visitor.ts'

/** What happens on the machines between the blocks, by what the block before them contains. */
const BETWEEN: readonly { after: string; script: string }[] = [
  {
    after: 'journalctl',
    script: `code=$(on node-1 <<< "journalctl -u keyferry@api" | sed -n 's/^set-up code: //p')
on desk <<< "${VISIT} set-up $code; ${VISIT} store FIRST; ${VISIT} names"`,
  },
  {
    after: 'OIDC_ISSUER',
    script: `on desk <<'EOF'
cd /root/keyferry-files
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -CA ca.pem -CAkey ca.key \\
  -subj /CN=idp -addext subjectAltName=DNS:idp.example.com -keyout idp.example.com.key -out idp.example.com.pem
${VISIT} provider /root/keyferry-files > /root/provider.log 2>&1 &
until grep -q listens /root/provider.log; do sleep 0.1; done
until curl -fs -o ready --cacert ca.pem https://keyferry.example.com/readyz; do sleep 0.2; done
${VISIT} sign-in kim
${VISIT} store KEPT
EOF`,
  },
  {
    after: 'pg_dump',
    // What the migration of a newer build can do: another build backs out of it.
    script: `on desk <<< "${VISIT} store LOST; ${VISIT} names"
on data <<< "runuser -u postgres -- psql --quiet keyferry -c 'create table newer (of text references tenants (id))'"`,
  },
  {
    after: 'systemctl start keyferry@api',
    script: `on desk <<'EOF'
until curl -fs -o ready --cacert /root/keyferry-files/ca.pem https://keyferry.example.com/readyz; do sleep 0.2; done
${VISIT} names
EOF
on data <<'EOF'
echo "newer tables: $(runuser -u postgres -- psql -At keyferry -c "select count(*) from pg_tables where tablename = 'newer'")"
EOF
for node in node-1 node-2; do
  on $node <<< 'cat /proc/$(cat /run/unit-keyferry@web.pid)/environ | tr "\\0" "\\n" | grep -c ^ROOT_KEY || true' | sed 's/^/web has a root key: /'
done`,
  },
]

function scriptOf({ machines, script }: Block): string {
  const after = BETWEEN.filter((step) => script.includes(step.after)).map((step) => step.script)
  const filled = script.replace('=the-secret-that-the-provider-gave-you', '="a client secret of the tests"')
  const runs = machines.map((name) => {
    const own = name === 'node-2' ? filled.replace('ADDRESS=10.0.0.3', 'ADDRESS=10.0.0.4') : filled
    const from = name === 'desk' ? 'cd /opt/keyferry\n' : ''
    return `on ${name} <<'BLOCK'\n${from}${own}BLOCK`
  })
  return [...runs, ...after].join('\n')
}

describe.skipIf(!canHaveMachines())('four machines', () => {
  test('run the section from its first block to a restored backup, with accounts and with a provider', () => {
    const world = `${readFileSync(join(import.meta.dirname, 'several-nodes/world.sh'), 'utf8')}
machine desk 10.0.0.9
machine data 10.0.0.2
machine node-1 10.0.0.3
machine node-2 10.0.0.4
machine proxy 10.0.0.5
${BLOCKS.map(scriptOf).join('\n')}
echo finished`
    const { PATH } = process.env
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-mnp', '--fork', '--kill-child', '--mount-proc', 'bash', '--norc', '-c', world],
      {
        encoding: 'utf8',
        timeout: PATIENCE_MS,
        killSignal: 'SIGKILL',
        env: { PATH, CLONE: ROOT, HERE: join(import.meta.dirname, 'several-nodes') },
      },
    )
    expect(stdout, stderr).toMatch(/\nfinished\n$/)
    expect(stdout.match(/^(names|signed in|newer tables|web has a root key): .*|^Checked .*$/gm)).toEqual([
      'names: FIRST',
      'signed in: kim@example.com',
      'names: KEPT LOST',
      'Checked 2 values: 0 cannot be decrypted.',
      'names: KEPT',
      'newer tables: 0',
      'web has a root key: 0',
      'web has a root key: 0',
    ])
  })
})
