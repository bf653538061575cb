/** Do `work` after the calls that have begun are sent, while their answers are awaited. */
export async function whileWaiting<T>(work: () => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return await work()
}
