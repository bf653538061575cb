// The package has no types; these cover what we use.
declare module 'autocannon' {
  type Call = {
    method?: 'GET' | 'POST' | 'PUT'
    path: string
    headers?: Record<string, string>
    body?: string
    /** Called before each call; what it returns is sent. */
    setupRequest?: () => Call
  }

  type Result = {
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
    /** Seconds. */
    duration: number
  }

  function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    requests: Call[]
  }): Promise<Result>
  export = autocannon
}
