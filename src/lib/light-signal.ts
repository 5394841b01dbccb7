/** A listener: a function or an object. */
type Callback = NonNullable<Parameters<AbortSignal['addEventListener']>[1]>

/**
 * An AbortSignal for work that usually ends before a listener is added. It costs one small object, whereas an
 * AbortController and its target cost more than the rest of a small request. Supports what this program uses:
 * `aborted`, `reason`, `throwIfAborted` and listeners of `abort`. APIs that require a native signal (`AbortSignal.any`,
 * fetch) do not accept it.
 */
export class LightSignal implements AbortSignal {
  /** Called before other listeners. */
  onabort: AbortSignal['onabort'] = null
  /** Undefined until it is aborted. */
  reason: unknown
  #done = false
  #callbacks: Callback[] | undefined
  readonly #isGone: () => boolean
  readonly #watchGone: (gone: () => void) => void

  /** `isGone`: called at each access. `watchGone`: called once, with the first listener, to report a later change. */
  constructor(isGone: () => boolean, watchGone: (gone: () => void) => void) {
    this.#isGone = isGone
    this.#watchGone = watchGone
  }

  /** Whether it is aborted. Reading it detects that the client has left. */
  get aborted(): boolean {
    if (!this.#done && this.#isGone()) this.abort(undefined)
    return this.#done
  }

  /** Aborts once. `reason`: as for AbortController. */
  abort(reason: unknown): void {
    if (this.#done) return
    this.#done = true
    this.reason = reason ?? new DOMException('This operation was aborted', 'AbortError')
    const callbacks = this.#callbacks
    this.#callbacks = undefined
    const event = new Event('abort')
    this.onabort?.call(this, event)
    for (const callback of callbacks ?? []) invokeCallback(callback, this, event)
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  /** Adds a listener of `abort`. On an aborted signal it has no effect, as for a native one. */
  addEventListener(type: string, callback: Callback | null): void {
    if (type !== 'abort' || callback === null || this.#done) return
    if (this.#callbacks === undefined) {
      this.#callbacks = []
      this.#watchGone(() => this.abort(undefined))
    }
    if (!this.#callbacks.includes(callback)) this.#callbacks.push(callback)
  }

  removeEventListener(type: string, callback: Callback | null): void {
    if (type !== 'abort' || callback === null || this.#callbacks === undefined) return
    const at = this.#callbacks.indexOf(callback)
    if (at >= 0) this.#callbacks.splice(at, 1)
  }

  /** Does nothing. Only `abort` sends events. */
  dispatchEvent(): boolean {
    return true
  }

  /** Called by `events.setMaxListeners`. */
  setMaxListeners(): void {}
}

function invokeCallback(callback: Callback, target: LightSignal, event: Event): void {
  if (typeof callback === 'function') callback.call(target, event)
  else callback.handleEvent(event)
}
