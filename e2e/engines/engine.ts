/** What a person does on a page and sees of it, the same in every engine. Elements are named by XPath. */
export type EnginePage = {
  readonly goto: (address: string) => Promise<void>
  readonly address: () => Promise<string>
  /** Wait for an element. @returns its text */
  readonly text: (xpath: string) => Promise<string>
  readonly click: (xpath: string) => Promise<void>
  readonly type: (xpath: string, text: string) => Promise<void>
  readonly movePointer: (x: number, y: number) => Promise<void>
}

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
  /** Start it with one page. It accepts the certificate of a test. */
  readonly start: (options: StartOptions) => Promise<RunningEngine>
}

/** How long a page may take to show an element. */
export const SHOWN_WITHIN_MS = 45_000
