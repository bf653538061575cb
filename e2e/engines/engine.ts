/** What a person does on a page and sees of it, the same in every engine. Elements are named by XPath. */
export type EnginePage = {
  readonly goto: (address: string) => Promise<void>
  readonly address: () => Promise<string>
  /** Wait for an element. @returns its text */
  readonly text: (xpath: string) => Promise<string>
  readonly click: (xpath: string) => Promise<void>
  readonly type: (xpath: string, text: string) => Promise<void>
  readonly movePointer: (x: number, y: number) => Promise<void>
  /** Run the body of an async function in the page. @returns what it returns, which must be JSON */
  readonly run: (body: string) => Promise<unknown>
  readonly show: (view: View) => Promise<void>
}

/** A window, in CSS pixels before the zoom: one of 1280 pixels at a zoom of 2 shows 640 of them. */
export type View = {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly zoom: number
  readonly media?: Media
  /** Whether pages keep the rules of accessibility there: they read the document, which differs little between views. */
  readonly keepsRules: boolean
}

/** A system setting that pages can query. */
export type Media = 'dark' | 'forced colours' | 'reduced motion'

export type RunningEngine = { readonly page: EnginePage; readonly close: () => Promise<void> }

export type StartOptions = {
  /** For what the engine writes; removed by the test. */
  readonly folder: string
  /** The port of 127.0.0.1 that the engine takes for a public address, if it tells such addresses from local ones. */
  readonly publicPort: number
}

export type Engine = {
  readonly name: string
  /** The Debian packages that it needs, and a program of each. */
  readonly programs: Readonly<Record<string, string>>
  /** The system settings that it can simulate. */
  readonly media: readonly Media[]
  /** Start it with one page. It accepts the certificate of a test. */
  readonly start: (options: StartOptions) => Promise<RunningEngine>
}
