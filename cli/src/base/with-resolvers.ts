type Resolvers<T> = {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** Promise.withResolvers, which Node.js 20 lacks. */
export function withResolvers<T>(): Resolvers<T> {
  let settle: Omit<Resolvers<T>, 'promise'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, resolve: (value) => settle?.resolve(value), reject: (reason) => settle?.reject(reason) }
}

/** Do `work` after the calls that have begun are sent, while their answers are awaited. */
export async function whileWaiting<T>(work: () => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return await work()
}
