import type { Load, Scale } from './scale-model.ts'

type Event = { readonly at: number; readonly kind: 'ask' | 'poll'; readonly decidedAt: number }

/** Play the traffic through, event by event, for so many seconds after a warm-up: people decide after a random time,
 * clients poll again whenever a hold is over, each piece of work goes to a node at random and queues there.
 * @param random uniform in [0, 1) */
export function simulated(scale: Scale, seconds: number, random: () => number): Load {
  const simulation = new Simulation(scale, random)
  return simulation.run(seconds)
}

class Simulation {
  readonly #scale: Scale
  readonly #random: () => number
  readonly #events = new EventQueue()
  readonly #freeAt: number[]
  readonly #warmUp: number
  #held = { now: 0, since: 0, area: 0 }
  #worked = 0
  #queued = { seconds: 0, count: 0 }
  #repolls = 0

  constructor(scale: Scale, random: () => number) {
    this.#scale = scale
    this.#random = random
    this.#freeAt = Array.from({ length: scale.apiNodes }, () => 0)
    // Ten times the mean leaves less than a ten-thousandth of the empty beginning.
    this.#warmUp = 10 * scale.decisionSeconds
  }

  run(seconds: number): Load {
    const end = this.#warmUp + seconds
    this.#ask(0)
    for (let event = this.#events.next(); event && event.at < end; event = this.#events.next()) {
      if (event.kind === 'ask') this.#ask(event.at)
      else this.#poll(event)
    }
    this.#count(end, 0)
    return {
      heldWaits: this.#held.area / seconds,
      repollsPerSecond: this.#repolls / seconds,
      utilization: this.#worked / seconds / this.#scale.apiNodes,
      queueSeconds: this.#queued.seconds / this.#queued.count,
    }
  }

  #ask(at: number): void {
    const decidedAt = at + this.#exponential(this.#scale.decisionSeconds)
    this.#events.add({
      at: at + this.#exponential(1 / this.#scale.requestsPerSecond),
      kind: 'ask',
      decidedAt: 0,
    })
    this.#count(at, 1)
    this.#work(at, this.#scale.deliverySeconds)
    this.#hold(at, decidedAt)
  }

  // At the end of a hold the person has decided, or the client asks again.
  #poll({ at, decidedAt }: Event): void {
    if (decidedAt <= at) {
      this.#count(at, -1)
      return
    }
    if (at >= this.#warmUp) this.#repolls++
    this.#work(at, this.#scale.repollSeconds)
    this.#hold(at, decidedAt)
  }

  #hold(from: number, decidedAt: number): void {
    this.#events.add({ at: Math.min(decidedAt, from + this.#scale.holdSeconds), kind: 'poll', decidedAt })
  }

  #work(at: number, seconds: number): void {
    const node = Math.floor(this.#random() * this.#freeAt.length)
    const startAt = Math.max(at, this.#freeAt[node] ?? 0)
    this.#freeAt[node] = startAt + seconds
    if (at < this.#warmUp) return
    this.#worked += seconds
    this.#queued.seconds += startAt - at
    this.#queued.count++
  }

  #count(at: number, change: number): void {
    const from = Math.max(this.#held.since, this.#warmUp)
    if (at > from) this.#held.area += this.#held.now * (at - from)
    this.#held.now += change
    this.#held.since = at
  }

  #exponential(mean: number): number {
    return -mean * Math.log(1 - this.#random())
  }
}

/** A binary heap by time. */
class EventQueue {
  readonly #heap: Event[] = []

  add(event: Event): void {
    let at = this.#heap.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#at(parent) <= event.at) break
      this.#swap(at, parent)
      at = parent
    }
  }

  next(): Event | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (last && this.#heap.length > 0) this.#sink(last)
    return first
  }

  #sink(event: Event): void {
    this.#heap[0] = event
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const smaller = this.#at(left + 1) < this.#at(left) ? left + 1 : left
      if (this.#at(smaller) >= event.at) return
      this.#swap(at, smaller)
      at = smaller
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (!a || !b) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
