import type { TestBrowser } from './test-browser.ts'

/** Sign in at the test provider's own pages, up to the address that it sends the browser back to.
 * @param change what becomes of the address that the web-facing layer sends the browser to */
export async function callbackOf(
  browser: TestBrowser,
  { webUrl, subject, from = '/sign-in', change = (url) => url }: SignInSteps,
): Promise<string> {
  const begun = await browser.open(webUrl + from, { stopBefore: (url) => !url.startsWith(webUrl) })
  return await passProvider(browser, { webUrl, subject, address: change(begun.url) })
}

/** Sign in at the provider, from the address that the web-facing layer sent the browser to. */
export async function passProvider(
  browser: TestBrowser,
  { webUrl, subject, address }: { webUrl: string; subject: string; address: string },
): Promise<string> {
  const isCallback = (url: string) => /\/auth\/(link\/)?callback/.test(url) && url.startsWith(webUrl)
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
