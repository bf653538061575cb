type Page = { status: number; url: string; text: string; headers: Headers }

const MAX_REDIRECTS = 15

/** A browser without a window: it keeps cookies by origin, follows redirects, and sends forms. */
export class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()

  cookies(origin: string): ReadonlyMap<string, string> {
    return this.#jar(new URL(origin).origin)
  }

  setCookie(origin: string, name: string, value: string): void {
    this.#jar(new URL(origin).origin).set(name, value)
  }

  /** One request; a redirect is not followed. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.#jar(new URL(url).origin)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(cookie ? { cookie } : {}) }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) keep(jar, line)
    return answer
  }

  /** Go to an address as a person would.
   * @param stopBefore do not follow a redirect to an address that this says true of; it is the page's `url` then */
  async open(
    url: string,
    { stopBefore, ...init }: RequestInit & { stopBefore?: (url: string) => boolean } = {},
  ): Promise<Page> {
    let [at, step]: [string, RequestInit] = [url, init]
    for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
      const answer = await this.request(at, step)
      const location = answer.headers.get('location')
      if (location === null)
        return { status: answer.status, url: at, text: await answer.text(), headers: answer.headers }
      await answer.text()
      at = new URL(location, at).href
      if (stopBefore?.(at)) return { status: answer.status, url: at, text: '', headers: answer.headers }
      step = {}
    }
    throw new Error(`too many redirects at ${at}`)
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    return jar
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const at = pair.indexOf('=')
  const isEnded = attributes.some((attribute) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(attribute))
  if (isEnded) jar.delete(pair.slice(0, at))
  else jar.set(pair.slice(0, at), pair.slice(at + 1))
}
