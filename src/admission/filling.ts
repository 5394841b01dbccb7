/** Tracks whether a plugin has read all objects it depends on. Requests wait only after `begin`. */
export class Filling {
  #open: { readonly done: Promise<true>; readonly end: () => void } | undefined

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Starts the wait: requests wait until `end`. */
  begin(): void {
    let end = (): void => {}
    const done = new Promise<true>(resolve => {
      end = () => resolve(true)
    })
    this.#open = { done, end }
  }

  end(): void {
    this.#open?.end()
    this.#open = undefined
  }

  /** Resolves to true once all objects are read, or to false after the given time in milliseconds. */
  async ended(milliseconds: number): Promise<boolean> {
    if (!this.#open) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>(resolve => {
      timer = setTimeout(resolve, milliseconds, false)
    })
    return Promise.race([this.#open.done, late]).finally(() => clearTimeout(timer))
  }
}
