import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
// @ts-expect-error the package has no types
import { Provider } from 'oidc-provider'
import { providerConfiguration } from '../../web/test/identity-provider.ts'
import { callbackOf } from '../../web/test/sign-in.ts'
import { TestBrowser } from '../../web/test/test-browser.ts'
import { OWNER, type SessionCookie, sessionHeaders, signIn } from '../app-accounts.ts'

// A person on another machine, who trusts the private CA by NODE_EXTRA_CA_CERTS.
const URL = 'https://keyferry.example.com'
const PROVIDER = 'https://idp.example.com'
const SESSION = '/root/session.json'

async function call(path: string, init: RequestInit = {}): Promise<unknown> {
  const session: SessionCookie = JSON.parse(readFileSync(SESSION, 'utf8'))
  const headers = { ...sessionHeaders(URL, session), 'content-type': 'application/json' }
  const answer = await fetch(URL + path, { ...init, headers })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`)
  return await answer.json()
}

const keep = (session: SessionCookie) => writeFileSync(SESSION, JSON.stringify(session))

const STEPS: Readonly<Record<string, (word: string) => Promise<void>>> = {
  async 'set-up'(code) {
    const body = JSON.stringify({ ...OWNER, setup_code: code })
    const headers = { 'content-type': 'application/json' }
    const made = await fetch(`${URL}/set-up`, { method: 'POST', headers, body })
    if (made.status !== 200) throw new Error(`set-up answered ${made.status}`)
    keep(await signIn(URL, OWNER))
  },
  async store(name) {
    await call('/api/v1/keys', { method: 'POST', body: JSON.stringify({ name, value: `value of ${name}` }) })
  },
  async names() {
    const keys = (await call('/api/v1/keys')) as { name: string }[]
    process.stdout.write(`names: ${keys.map(({ name }) => name).join(' ')}\n`)
  },
  async provider(folder) {
    const [key, cert] = ['key', 'pem'].map((end) => readFileSync(`${folder}/idp.example.com.${end}`))
    const answers = new Provider(PROVIDER, providerConfiguration({ webUrl: URL })).callback()
    await once(
      createServer({ key: key ?? '', cert: cert ?? '' }, answers).listen(443, '10.0.0.9'),
      'listening',
    )
    process.stdout.write('the provider listens\n')
  },
  async 'sign-in'(subject) {
    const browser = new TestBrowser()
    await browser.request(await callbackOf(browser, { webUrl: URL, subject }))
    const [name, value] = [...browser.cookies(URL)].find(([cookie]) => cookie.endsWith('__session')) ?? []
    if (name === undefined || value === undefined) throw new Error('no session began')
    keep({ name, value })
    const { email } = (await call('/api/v1/me')) as { email: string }
    process.stdout.write(`signed in: ${email}\n`)
  },
}

const [step = '', word = ''] = process.argv.slice(2)
await STEPS[step]?.(word)
