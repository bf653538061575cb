import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { eventually } from '../plumbing/test/until.ts'

/** Ports of loopback: of the proxy, and of the servers behind it. */
export type ProxyPorts = { public: number; web: readonly [number, number] }

export type ProxyKind = 'nginx' | 'haproxy'

/** Whether the proxy is here. Where it must be (CI), a missing one is a failure instead of a skip. */
export function hasProxy(kind: ProxyKind): boolean {
  return hasPrograms(kind)
}

const EXAMPLES = join(import.meta.dirname, '../deploy')

/** Run the example configuration in a real proxy, without TLS and on these ports.
 * @returns ends it */
export async function startProxy(kind: ProxyKind, ports: ProxyPorts): Promise<() => Promise<void>> {
  return kind === 'nginx' ? await startNginx(ports) : await startHaproxy(ports)
}

async function startHaproxy(ports: ProxyPorts): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-haproxy-'))
  const example = onPorts(readFileSync(join(EXAMPLES, 'haproxy.cfg'), 'utf8'), ports)
  const plain = example.replace(/bind :443 ssl .*/, `bind 127.0.0.1:${ports.public}`)
  writeFileSync(join(folder, 'haproxy.cfg'), plain)
  const child = spawn('haproxy', ['-q', '-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  await untilListens(ports.public)
  return () => stop(child, folder)
}

async function startNginx(ports: ProxyPorts): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-nginx-'))
  writeFileSync(join(folder, 'nginx.conf'), wholeConfiguration(folder, exampleOn(ports, folder)))
  const child = spawn(
    'nginx',
    ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await untilListens(ports.public)
  return () => stop(child, folder)
}

function onPorts(example: string, { web: [one, other] }: ProxyPorts): string {
  return example.replace('127.0.0.1:5393', `127.0.0.1:${one}`).replace('127.0.0.1:5394', `127.0.0.1:${other}`)
}

function exampleOn(ports: ProxyPorts, folder: string): string {
  return onPorts(readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8'), ports)
    .replace('listen 443 ssl', `listen 127.0.0.1:${ports.public}`)
    .replace('proxy_set_header Host $host;', 'proxy_set_header Host $http_host;')
    .replace(/^ *ssl_.*\n/gm, '')
    .replaceAll('/var/log/nginx/', `${folder}/`)
}

function wholeConfiguration(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\n
events { worker_connections 4096; }
http {
access_log off;
${temporary}
${http}
}
`
}

async function untilListens(port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect').finally(() => socket.destroy())
  })
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
