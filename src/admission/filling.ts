/** Whether the objects that a plugin works by have all been read. Requests wait only once following has begun. */
export class Filling {
  #open: { readonly done: Promise<true>; readonly end: () => void } | undefined

  get isOpen(): boolean {
    return this.#open !== undefined
  }

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

  /** Whether it has ended, at the latest after the time. */
  async ended(milliseconds: number): Promise<boolean> {
    if (!this.#open) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>(resolve => {
      timer = setTimeout(resolve, milliseconds, false)
    })
    return Promise.race([this.#open.done, late]).finally(() => clearTimeout(timer))
  }
}
