import type { RequestInfo } from '../../meta/context.ts'

/** Counts of requests that read and of requests that write. */
export interface RequestWatermarks {
  readonly readOnly: Watermark
  readonly mutating: Watermark
}

/** Receives each new count. */
export interface CountObserver {
  /** `at`: time by the observer's clock. Omitted if the caller does not know it. */
  set(count: number, at?: number): void
}

/** Counter of current requests that also has its highest value of the last second. */
export class Watermark {
  current = 0
  #peak = 0
  #second = 0
  readonly #observer: CountObserver | undefined

  constructor(observer?: CountObserver) {
    this.#observer = observer
  }

  /** Counts a request. `now`: milliseconds since the epoch. `at`: the same time by the observer's clock. */
  enter(now: number, at?: number): void {
    this.current++
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#peak = this.current
    } else if (this.current > this.#peak) this.#peak = this.current
    this.#observer?.set(this.current, at)
  }

  leave(): void {
    this.current--
    this.#observer?.set(this.current)
  }

  highest(now: number): number {
    return Math.floor(now / 1000) - this.#second <= 1 ? Math.max(this.#peak, this.current) : this.current
  }
}

/** Reports whether a request only reads. Every other verb counts as mutating, as in kube-apiserver. */
export const isReadOnly = ({ verb }: RequestInfo): boolean => verb === 'get' || verb === 'list' || verb === 'watch'
