import type { FlowClock } from '../../src/flow/flow-clock.ts'

interface Event {
  readonly at: number
  readonly run: () => void
}

/** Time that goes from event to event, as fast as they run. */
export class EventClock implements FlowClock {
  #time: number
  /** In order. */
  #events: Event[] = []

  constructor(time = 0) {
    this.#time = time
  }

  now(): number {
    return this.#time
  }

  after(milliseconds: number, run: () => void): () => void {
    const event = { at: this.#time + Math.max(0, milliseconds), run }
    const place = this.#events.findIndex(({ at }) => at > event.at)
    this.#events.splice(place < 0 ? this.#events.length : place, 0, event)
    return () => {
      this.#events = this.#events.filter(each => each !== event)
    }
  }

  /** Runs what is due up to a time, and lets it be that time. Without one: until nothing is left. */
  run(until = Number.POSITIVE_INFINITY): void {
    for (let next = this.#events[0]; next !== undefined && next.at <= until; next = this.#events[0]) {
      this.#events.shift()
      this.#time = next.at
      next.run()
    }
    if (until !== Number.POSITIVE_INFINITY) this.#time = until
  }

  pass(milliseconds: number): void {
    this.run(this.#time + milliseconds)
  }
}
