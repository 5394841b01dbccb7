interface HeldTimer {
  due: number
  /** Milliseconds of an interval. Undefined for a timeout. */
  readonly every: number | undefined
  readonly ms: number
  readonly act: () => void
}

/** Return value of `setTimeout` and `setInterval` while time is held. */
class Handle {
  readonly #time: HeldTime
  readonly timer: HeldTimer

  constructor(time: HeldTime, timer: HeldTimer) {
    this.#time = time
    this.timer = timer
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
  refresh(): this {
    this.#time.refresh(this.timer)
    return this
  }
}

/**
 * Time that goes by when the test says so: timers that are set meanwhile, and `performance.now`, which the steady clock
 * reads, wait for `pass`. Timers that were set before, those of Node itself and `Date` go on as ever. Must be let go:
 * in `afterEach` or `finally`.
 */
export class HeldTime {
  readonly #real = { setTimeout, setInterval, clearTimeout, clearInterval, now: performance.now }
  readonly #timers = new Set<HeldTimer>()
  #now = performance.now()

  static hold(): HeldTime {
    return new HeldTime()
  }

  private constructor() {
    const clear = (handle: unknown): void => {
      if (handle instanceof Handle) this.#timers.delete(handle.timer)
      else this.#real.clearTimeout(handle as NodeJS.Timeout | undefined)
    }
    Object.assign(globalThis, {
      setTimeout: (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => this.#set(() => act(...args), ms, false),
      setInterval: (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => this.#set(() => act(...args), ms, true),
      clearTimeout: clear,
      clearInterval: clear,
    })
    performance.now = () => this.#now
  }

  get now(): number {
    return this.#now
  }

  #set(act: () => void, ms: number, repeats: boolean): Handle {
    const timer = { due: this.#now + ms, every: repeats ? Math.max(ms, 1) : undefined, ms, act }
    this.#timers.add(timer)
    return new Handle(this, timer)
  }

  refresh(timer: HeldTimer): void {
    timer.due = this.#now + timer.ms
    this.#timers.add(timer)
  }

  /**
   * Lets so many milliseconds go by: timers act in the order in which they are due, those too that are set by others.
   */
  pass(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      let next: HeldTimer | undefined
      for (const timer of this.#timers) if (timer.due <= until && (next === undefined || timer.due < next.due)) next = timer
      if (next === undefined) break
      this.#now = Math.max(this.#now, next.due)
      if (next.every === undefined) this.#timers.delete(next)
      else next.due += next.every
      next.act()
    }
    this.#now = until
  }

  release(): void {
    const { now, ...timers } = this.#real
    Object.assign(globalThis, timers)
    performance.now = now
  }
}
