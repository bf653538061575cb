import { createClient, type EndpointClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'

/** Calls as the page makes them, with its cookies and from its origin. */
export function clientIn(page: Page): EndpointClient {
  const inPage: typeof fetch = async (address, init = {}) => {
    const path = address instanceof Request ? address.url : address.toString()
    const asked = {
      path,
      method: init.method ?? 'GET',
      body: typeof init.body === 'string' ? init.body : null,
      headers: Object.fromEntries(new Headers(init.headers)),
    }
    const { status, text } = await page.evaluate(async ({ path: target, method, body, headers }) => {
      const answer = await fetch(target, { method, headers, ...(body === null ? {} : { body }) })
      return { status: answer.status, text: await answer.text() }
    }, asked)
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }
  return createClient('', inPage)
}
