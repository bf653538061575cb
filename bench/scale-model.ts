/** What one service has to carry and what its parts can do; times in seconds, rates per second. */
export type Scale = {
  /** Requests for approval that arrive. */
  readonly requestsPerSecond: number
  /** Mean time from asking to the person's decision. */
  readonly decisionSeconds: number
  /** How long one wait is held before the client asks again. */
  readonly holdSeconds: number
  readonly apiNodes: number
  /** Processor time of one API process: to carry a request through (ask, approve, deliver), and to end a hold and take
   * the next one. */
  readonly deliverySeconds: number
  readonly repollSeconds: number
}

export type Load = {
  /** Waits held at once, on all nodes. */
  readonly heldWaits: number
  readonly repollsPerSecond: number
  /** Share of its time that one API node works. */
  readonly utilization: number
  /** Mean time that a piece of work waits for its node, before it is worked on. */
  readonly queueSeconds: number
}

/** Queueing arithmetic. Little's law gives the held waits; decisions are memoryless, so a wait outlives its hold with
 * probability e^(-hold/decision), and each that does makes one more poll. A node is a queue with Poisson arrivals and
 * fixed service times (M/G/1), whose waiting time is Pollaczek and Khinchine's. */
export function predicted(scale: Scale): Load {
  const { requestsPerSecond, decisionSeconds, holdSeconds, apiNodes, deliverySeconds, repollSeconds } = scale
  const heldWaits = requestsPerSecond * decisionSeconds
  const outlives = Math.exp(-holdSeconds / decisionSeconds)
  const repollsPerSecond = (requestsPerSecond * outlives) / (1 - outlives)
  const utilization = (requestsPerSecond * deliverySeconds + repollsPerSecond * repollSeconds) / apiNodes
  const secondMoment =
    (requestsPerSecond * deliverySeconds ** 2 + repollsPerSecond * repollSeconds ** 2) / apiNodes
  const queueSeconds = utilization < 1 ? secondMoment / (2 * (1 - utilization)) : Number.POSITIVE_INFINITY
  return { heldWaits, repollsPerSecond, utilization, queueSeconds }
}

/** Nodes so that none works for more than the share given. */
export function nodesFor(scale: Scale, atMostUtilized: number): number {
  return Math.ceil(predicted({ ...scale, apiNodes: 1 }).utilization / atMostUtilized)
}
