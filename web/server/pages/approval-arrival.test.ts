import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordingApi } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const PAGE = '/approve/7f9c2ba4e88f827d616045507605853e'
const MARKED = `${PAGE}?from=link`

let api: RecordingApi
let web: Web
let hosted: Web

beforeAll(async () => {
  api = new RecordingApi()
  const apiUrl = await api.listen()
  const identity = { mode: 'accounts' } as const
  web = await startTestWeb(apiUrl)
  hosted = await startTestWeb(apiUrl, { publicUrl: 'https://keyferry.example', identity })
})

afterAll(async () => {
  await Promise.all([web.close(), hosted.close(), api.close()])
})

async function arrive(path: string, headers: Record<string, string>, { address } = web) {
  const answer = await fetch(address + path, { headers, redirect: 'manual' })
  const cookie = answer.headers.get('set-cookie')
  const text = await answer.text()
  return { status: answer.status, location: answer.headers.get('location'), cookie, text }
}

const site = (value: string, cookie?: string) => ({
  'sec-fetch-site': value,
  ...(cookie === undefined ? {} : { cookie }),
})

describe('the approval page', () => {
  test('opened by a terminal is shown as it is, and its request is kept for the way back from sign-in', async () => {
    const { status, cookie } = await arrive(PAGE, site('none'))
    expect(status).toBe(200)
    expect(cookie).toMatch(
      /^keyferry_opened=7f9c2ba4e88f827d616045507605853e; Path=\/; .*HttpOnly; SameSite=Lax/,
    )
    const back = await arrive(PAGE, site('cross-site', cookie?.split(';')[0]))
    expect(back).toMatchObject({ status: 200, location: null, cookie: null })
  })

  test.each(['cross-site', 'same-site', 'same-origin'])(
    'reached from a page (%s) is marked',
    async (value) => {
      expect(await arrive(PAGE, site(value))).toMatchObject({ status: 302, location: MARKED, cookie: null })
      expect(await arrive(MARKED, site(value))).toMatchObject({ status: 200, location: null, cookie: null })
    },
  )

  test('another request that was opened proves nothing', async () => {
    const { location } = await arrive(PAGE, site('cross-site', 'keyferry_opened=aa.bb'))
    expect(location).toBe(MARKED)
  })

  test('of two cookies neither counts', async () => {
    const id = PAGE.slice('/approve/'.length)
    const planted = `keyferry_opened=${id}; keyferry_opened=${id}`
    expect((await arrive(PAGE, site('cross-site', planted))).location).toBe(MARKED)
  })

  test('the last five requests that were opened are kept', async () => {
    const { cookie } = await arrive(PAGE, site('none', 'keyferry_opened=a.b.c.d.e'))
    expect(cookie).toContain('=7f9c2ba4e88f827d616045507605853e.a.b.c.d;')
  })

  test('an address that names no request sets no cookie', async () => {
    expect((await arrive('/approve/x;Domain=example.com', site('none'))).cookie).toBeNull()
  })

  test('a browser that names only the previous page is trusted', async () => {
    expect((await arrive(PAGE, { referer: 'https://evil.example/' })).location).toBe(MARKED)
    expect((await arrive(PAGE, {})).status).toBe(200)
  })

  test('sign-in returns to the marked address', async () => {
    const linked = await arrive(PAGE, site('cross-site'), hosted)
    expect(linked).toMatchObject({ status: 200, location: null, cookie: null })
    expect(linked.text).toContain(`href="/sign-in?return_to=${encodeURIComponent(MARKED)}"`)
    const direct = await arrive(PAGE, site('none'), hosted)
    expect(direct.text).toContain(`href="/sign-in?return_to=${encodeURIComponent(PAGE)}"`)
    expect(direct.cookie).toMatch(/^__Host-keyferry_opened=.*; Secure$/)
  })

  test('leads a signed-out person to sign-in without a script too', async () => {
    const { text } = await arrive(PAGE, site('none'), hosted)
    const path = `/sign-in?return_to=${encodeURIComponent(PAGE)}`
    expect(text).toContain(`<noscript><meta http-equiv="refresh" content="0; url=${path}" /></noscript>`)
  })

  test.each(['//evil.example/', '"><script>alert(1)</script>', '{path}', '$&'])(
    'a strange address leads to no other site: %s',
    async (query) => {
      const { text } = await arrive(`${PAGE}?x=${query}`, site('none'), hosted)
      const paths = [...text.matchAll(/(?:href="|url=)(\/sign-in[^"]*)"/g)].map(([, path]) => path)
      expect(paths).toEqual(
        [1, 2].map(() => expect.stringMatching(/^\/sign-in\?return_to=%2Fapprove%2F[\w%.()]*$/)),
      )
      expect(text).not.toContain('<script>')
    },
  )
})
