import type { TestBrowser } from './test-browser.ts'

/** Sign in at the test provider's own pages, up to the address that it sends the browser back to.
 * @param change what becomes of the address that the web-facing layer sends the browser to */
export async function callbackOf(
  browser: TestBrowser,
  { webUrl, subject, from = '/sign-in', change = (url) => url }: SignInSteps,
): Promise<string> {
  const begun = await browser.open(webUrl + from, { stopBefore: (url) => !url.startsWith(webUrl) })
  const isCallback = (url: string) => url.startsWith(`${webUrl}/auth/callback`)
  const address = change(begun.url)
  let page = await browser.open(address, { stopBefore: isCallback })
  for (const form of [`prompt=login&login=${subject}&password=any`, 'prompt=consent']) {
    if (isCallback(page.url)) break
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const action = new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', page.url).href
    page = await browser.open(action, { method: 'POST', body: form, headers, stopBefore: isCallback })
  }
  return page.url
}

export type SignInSteps = {
  webUrl: string
  subject: string
  from?: string
  change?: (url: string) => string
}
