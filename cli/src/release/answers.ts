const SETTLE_MS = 1_000

/** The answers to browsers and other shells that are not sent yet. The process waits for them before it ends. */
export type Answers = {
  readonly add: (sent: Promise<void>) => void
  /** Resolves when all are sent, after a second at the latest. */
  readonly settled: () => Promise<void>
}

export function newAnswers(): Answers {
  const underWay = new Set<Promise<void>>()
  return {
    add: (sent) => {
      underWay.add(sent)
      void sent.finally(() => underWay.delete(sent))
    },
    settled: async () => {
      const isLate = new Promise((resolve) => void setTimeout(resolve, SETTLE_MS).unref())
      await Promise.race([Promise.all(underWay), isLate])
    },
  }
}
